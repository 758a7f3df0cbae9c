import { type ReactElement, useState } from 'react';
import { reload } from '../../api/queries.ts';
import { useDenialReason } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { useDialog } from '../../components/use-dialog.ts';
import { strings } from '../../strings/strings.ts';
import { api } from '../../api/client.ts';
import { EmailLinkDialog } from '../../components/EmailLinkDialog.tsx';
import { InvitationList } from './InvitationList.tsx';
import { MemberList } from './MemberList.tsx';
import { RoleTexts, RoleSelect, type roleNames } from './RoleSelect.tsx';

const texts = strings.people;
type Role = (typeof roleNames)[number];

/** Invites someone, then shows the link once. */
const InviteDialog = ({ onClose }: { onClose: () => void }): ReactElement => {
  const [role, setRole] = useState<Role>('developer');
  const invite = async (email: string) => {
    const created = await api.post('/api/v1/invitations', { body: { email, role } });
    void reload('invitations');
    return created;
  };
  return (
    <EmailLinkDialog
      title={texts.inviteTitle}
      submitText={texts.createLink}
      email={{ label: texts.email, hint: texts.emailHint }}
      create={invite}
      shown={{ title: texts.invitedTitle, text: texts.invitedText, label: texts.link }}
      fields={['role']}
      onClose={onClose}
    >
      {(errors) => <RoleSelect value={role} onChange={setRole} error={errors['role']} />}
    </EmailLinkDialog>
  );
};

/** The members of the account, and who is invited. */
export const PeoplePage = (): ReactElement => {
  const denialReason = useDenialReason('members:write');
  const [isInviting, setInviting] = useDialog('invite', denialReason === null);
  return (
    <>
      <PageHeader
        title={strings.pages.people}
        text={texts.text}
        actions={
          <Button variant="primary" icon="plus" disabledReason={denialReason} onPress={() => setInviting(true)}>
            {texts.invite}
          </Button>
        }
      />
      <div className="stack-lg">
        <MemberList />
        <InvitationList />
        <RoleTexts />
      </div>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
};
