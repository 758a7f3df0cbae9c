import { type ReactElement, useState } from 'react';
import type { MemberResponse } from '#contracts/http/members.ts';
import { api } from '../../api/client.ts';
import { loadPage } from '../../api/load-page.ts';
import { reload } from '../../api/queries.ts';
import { useAccount } from '../../api/session.ts';
import { ConfirmDialog, FormDialog } from '../../components/FormDialog.tsx';
import { showToast } from '../../components/Toast.tsx';
import { strings } from '../../strings/strings.ts';
import { RoleSelect } from './RoleSelect.tsx';

const texts = strings.people;
type MemberDialogProps = { member: MemberResponse; onClose: () => void };

export const ChangeRoleDialog = ({ member, onClose }: MemberDialogProps): ReactElement => {
  const [role, setRole] = useState(member.role);
  const change = async (): Promise<void> => {
    if (role !== member.role) {
      await api.put('/api/v1/members/{person_id}', { params: { person_id: member.id }, body: { role } });
      showToast({ title: texts.roleChanged(member.name) });
      void reload('members');
      void reload('session');
    }
    onClose();
  };
  return (
    <FormDialog
      title={texts.changeRoleOf(member.name)}
      onClose={onClose}
      submitText={strings.common.save}
      onSubmit={change}
      fields={['role']}
    >
      {(errors) => <RoleSelect value={role} onChange={setRole} error={errors['role']} />}
    </FormDialog>
  );
};

export const RemoveDialog = ({ member: { id, name }, onClose }: MemberDialogProps): ReactElement => (
  <ConfirmDialog
    title={texts.removeTitle(name)}
    confirmText={texts.remove}
    done={texts.removed(name)}
    isDangerous
    onConfirm={() => api.delete('/api/v1/members/{person_id}', { params: { person_id: id } })}
    changes={['members']}
    onClose={onClose}
  >
    <p>{texts.removeText}</p>
  </ConfirmDialog>
);

/** Leaves the account, and shows another one. */
export const LeaveDialog = ({ onClose }: { onClose: () => void }): ReactElement => {
  const account = useAccount();
  const leave = async (): Promise<void> => {
    await api.delete('/api/v1/session/accounts/{account_id}', { params: { account_id: account!.id } });
    await loadPage();
  };
  return (
    <ConfirmDialog
      onClose={onClose}
      title={texts.leaveTitle(account?.name ?? '')}
      confirmText={texts.leave}
      isDangerous
      onConfirm={leave}
    >
      <p>{texts.leaveText}</p>
    </ConfirmDialog>
  );
};
