import { type ReactElement, useState } from 'react';
import type { InvitationResponse } from '#contracts/http/members.ts';
import { api } from '../../api/client.ts';
import { useList } from '../../api/cursor-list.ts';
import { useAccount, usePermission } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/notices.tsx';
import { ConfirmDialog } from '../../components/FormDialog.tsx';
import { Badge } from '../../components/StatusBadge.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.people;

const columns: Column<InvitationResponse>[] = [
  { key: 'email', header: texts.email, width: 'minmax(8rem, 2fr)', cell: ({ email }) => email },
  {
    key: 'state',
    header: texts.state,
    width: '6rem',
    isDetailOnPhone: true,
    cell: ({ state }) =>
      state === 'open' ? <Badge tone="info">{texts.open}</Badge> : <Badge>{strings.status.expired}</Badge>,
  },
  { key: 'role', header: texts.role, width: '6.5rem', isDetailOnPhone: true, cell: ({ role }) => strings.roles[role] },
  {
    key: 'invitedBy',
    header: texts.invitedBy,
    width: 'minmax(7rem, 1fr)',
    isHiddenOnTablet: true,
    cell: ({ invited_by: by }) => by.name ?? by.id,
  },
  {
    key: 'expires',
    header: texts.expires,
    width: 'minmax(7rem, 1fr)',
    isHiddenOnTablet: true,
    cell: ({ expires_at: time }) => <Time time={time} format="date" />,
  },
];

const withdrawColumn = (onWithdraw: (invitation: InvitationResponse) => void): Column<InvitationResponse> => ({
  key: 'actions',
  header: '',
  width: '6rem',
  align: 'end',
  cell: (invitation) => (
    <Button size="small" aria-label={`${texts.withdraw} ${invitation.email}`} onPress={() => onWithdraw(invitation)}>
      {texts.withdraw}
    </Button>
  ),
});

type WithdrawDialogProps = { invitation: InvitationResponse; onClose: () => void };

const WithdrawDialog = ({ invitation: { id, email }, onClose }: WithdrawDialogProps): ReactElement => (
  <ConfirmDialog
    title={texts.withdrawTitle(email)}
    confirmText={texts.withdraw}
    done={texts.withdrawn}
    isDangerous
    onConfirm={() => api.delete('/api/v1/invitations/{invitation_id}', { params: { invitation_id: id } })}
    changes={['invitations']}
    onClose={onClose}
  >
    <p>{texts.withdrawText}</p>
  </ConfirmDialog>
);

/** The open invitations. Their links were shown once, and are not here. */
export const InvitationList = (): ReactElement => {
  const [chosen, setChosen] = useState<InvitationResponse | null>(null);
  const mayChange = usePermission('members:write');
  const account = useAccount();
  const list = useList(
    ['invitations'],
    async (signal) => (await api.get('/api/v1/invitations', { signal })).invitations,
  );
  return (
    <section className="stack" aria-labelledby="invitations-title">
      <h2 id="invitations-title">{texts.invitations}</h2>
      <DataTable
        {...list}
        label={texts.invitations}
        columns={mayChange ? [...columns, withdrawColumn(setChosen)] : columns}
        rowKey={({ id }) => id}
        phoneRowHeight={72}
        empty={
          <EmptyState
            icon="people"
            title={texts.noInvitations}
            text={texts.noInvitationsText}
            code={`${strings.signIn.linkCommand} --account ${account?.id ?? ''} --email you@example.com --role viewer`}
          />
        }
      />
      {chosen && <WithdrawDialog invitation={chosen} onClose={() => setChosen(null)} />}
    </section>
  );
};
