import { type ReactElement, useState } from 'react';
import type { MemberResponse } from '#contracts/http/members.ts';
import { api } from '../../api/client.ts';
import { useCursorList, useAllPages } from '../../api/cursor-list.ts';
import { useAccount, usePermission, useSession } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { useFilters } from '../../components/FilterBar.tsx';
import { ActionMenu, type MenuAction } from '../../components/Menu.tsx';
import { EmptyState, Notice } from '../../components/notices.tsx';
import { Badge } from '../../components/StatusBadge.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { ChangeRoleDialog, LeaveDialog, RemoveDialog } from './MemberDialogs.tsx';

const texts = strings.people;

type Choice = { kind: 'role' | 'remove' | 'leave'; member: MemberResponse };

const PersonCell = ({ member, isYou }: { member: MemberResponse; isYou: boolean }): ReactElement => (
  <span className="person">
    <span className="person-name" dir="auto" title={member.name}>
      {member.name}
    </span>
    <span className="person-details">
      {member.email !== null && member.email !== member.name && <span className="muted">{member.email}</span>}
      {isYou && <Badge tone="info">{strings.common.you}</Badge>}
    </span>
  </span>
);

/** What the person may do with a member. */
const useActions = (choose: (choice: Choice) => void) => {
  const mayChange = usePermission('members:write');
  const { data: session } = useSession();
  return (member: MemberResponse): MenuAction[] => {
    const isYou = session?.person.id === member.id;
    const change = (kind: Choice['kind'], title: string, isDangerous = false): MenuAction => ({
      id: kind,
      title,
      isDangerous,
      icon: kind === 'role' ? 'edit' : kind === 'leave' ? 'signOut' : 'trash',
      onAction: () => choose({ kind, member }),
    });
    return [
      ...(mayChange ? [change('role', texts.changeRole)] : []),
      ...(isYou ? [change('leave', texts.leave, true)] : mayChange ? [change('remove', texts.remove, true)] : []),
    ];
  };
};

const columnsFor = (actionsOf: (member: MemberResponse) => MenuAction[], ownId: string | undefined) => {
  const columns: Column<MemberResponse>[] = [
    {
      key: 'person',
      header: texts.person,
      width: 'minmax(8rem, 2.4fr)',
      cell: (member) => <PersonCell member={member} isYou={member.id === ownId} />,
    },
    {
      key: 'role',
      header: texts.role,
      width: '6rem',
      isDetailOnPhone: true,
      cell: ({ role }) => <Badge tone={role === 'owner' ? 'success' : 'neutral'}>{strings.roles[role]}</Badge>,
    },
    {
      key: 'source',
      header: texts.source,
      width: 'minmax(7rem, 1fr)',
      isHiddenOnTablet: true,
      cell: ({ source }) => texts.sources[source],
    },
    {
      key: 'joined',
      header: texts.joined,
      width: 'minmax(7rem, 1fr)',
      isHiddenOnTablet: true,
      cell: ({ joined_at: time }) => <Time time={time} format="date" />,
    },
    {
      key: 'lastSignIn',
      header: texts.lastSignIn,
      width: 'minmax(7rem, 1fr)',
      isHiddenOnPhone: true,
      cell: ({ last_sign_in_at: time }) => (time === null ? texts.never : <Time time={time} format="relative" />),
    },
    {
      key: 'actions',
      header: '',
      width: '2.25rem',
      align: 'end',
      cell: (member) => {
        const actions = actionsOf(member);
        return actions.length > 0 && <ActionMenu label={texts.actions(member.name)} actions={actions} />;
      },
    },
  ];
  return columns;
};

/** The members, with what may be done with each. */
export const MemberList = (): ReactElement => {
  const [choice, setChoice] = useState<Choice | null>(null);
  const { data: session } = useSession();
  const account = useAccount();
  const [{ id: shownId }, change] = useFilters();
  const list = useCursorList(['members'], 'members', (cursor, signal) =>
    api.get('/api/v1/members', { query: { cursor, limit: 100 }, signal }),
  );
  const shown = list.rows.filter(({ id }) => id === shownId);
  const isFiltered = shown.length > 0;
  const isSought = shownId !== undefined && !isFiltered;
  useAllPages(isSought, list.hasMore && !list.isLoadingMore && !list.error, list.onLoadMore);
  const close = (): void => setChoice(null);
  const columns = columnsFor(useActions(setChoice), session?.person.id);
  const name = `${texts.members} ${account?.name ?? ''}`;
  return (
    <section className="stack" aria-labelledby="members-title">
      <h2 id="members-title">{texts.members}</h2>
      {isFiltered && (
        <Notice
          tone="info"
          actions={
            <Button size="small" onPress={() => change({ id: '' })}>
              {texts.showAll}
            </Button>
          }
        >
          {texts.shownOnly}
        </Notice>
      )}
      <DataTable
        label={name}
        columns={columns}
        phoneRowHeight={72}
        {...list}
        rows={isFiltered ? shown : list.rows}
        hasMore={!isFiltered && list.hasMore}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon="people"
            title={texts.noMembers}
            text={texts.noMembersText}
            code={`${strings.signIn.linkCommand} --account ${account?.id ?? ''} --email you@example.com`}
          />
        }
      />
      {choice?.kind === 'role' && <ChangeRoleDialog member={choice.member} onClose={close} />}
      {choice?.kind === 'remove' && <RemoveDialog member={choice.member} onClose={close} />}
      {choice?.kind === 'leave' && <LeaveDialog onClose={close} />}
    </section>
  );
};
