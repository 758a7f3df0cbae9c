import { type ReactElement, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { EmailLinkDialog } from '../../components/EmailLinkDialog.tsx';
import { strings } from '../../strings/strings.ts';
import { RoleSelect } from './RoleSelect.tsx';
import type { roleNames } from './RoleTexts.tsx';

const texts = strings.people;
type Role = (typeof roleNames)[number];

/** Invites someone, then shows the link once. */
export const InviteDialog = ({ onClose }: { onClose: () => void }): ReactElement => {
  const queryClient = useQueryClient();
  const [role, setRole] = useState<Role>('developer');
  const invite = async (email: string) => {
    const created = await api.post('/api/v1/invitations', { body: { email, role } });
    void queryClient.invalidateQueries({ queryKey: ['invitations'] });
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
