import { type ReactElement, useState } from 'react';
import type { KeyResponse, KeyState } from '#contracts/http/keys.ts';
import { api } from '../../api/client.ts';
import { useCursorList } from '../../api/cursor-list.ts';
import { useDenialReason } from '../../api/session.ts';
import { ActorName } from '../../components/ActorName.tsx';
import { Button } from '../../components/Button.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { optionsOf } from '../../components/fields.tsx';
import { type Filter, FilterBar, useFilters } from '../../components/FilterBar.tsx';
import { firstRenderCommand } from '../../components/first-render.ts';
import { formatPercent, recentMonths } from '../../components/formats.ts';
import { ActionMenu } from '../../components/Menu.tsx';
import { EmptyState } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Badge, StatusBadge } from '../../components/StatusBadge.tsx';
import { Count, Time } from '../../components/values.tsx';
import { useDialog } from '../../components/use-dialog.ts';
import { strings } from '../../strings/strings.ts';
import { CreateKeyDialog } from './CreateKeyDialog.tsx';
import { RevokeKeyDialog } from './RevokeKeyDialog.tsx';

const texts = strings.keys;
const states = ['active', 'expired', 'revoked'] as const;
const pageSize = 50;
const monthsShown = 12;

const filters = (): Filter[] => [
  {
    kind: 'select',
    name: 'state',
    label: texts.state,
    options: states.map((value) => ({ value, label: strings.status[value] })),
  },
  {
    kind: 'select',
    name: 'type',
    label: texts.type,
    options: optionsOf(texts.types),
  },
  {
    kind: 'select',
    name: 'period',
    label: texts.period,
    options: recentMonths(monthsShown).slice(1),
    none: texts.thisMonth,
  },
];

const countColumn = (key: 'requests' | 'succeeded' | 'failed', width: string): Column<KeyResponse> => ({
  key,
  header: texts[key],
  width,
  align: 'end',
  cell: ({ period }) => <Count value={period[key]} />,
});

const columns = (onRevoke: (key: KeyResponse) => void, mayRevoke: boolean): Column<KeyResponse>[] => [
  {
    key: 'name',
    header: texts.name,
    width: 'minmax(8rem, 1fr)',
    cell: ({ name, prefix }) => (
      <>
        {name}
        <span className="cell-detail mono" dir="auto">
          {prefix}…
        </span>
      </>
    ),
  },
  { key: 'state', header: texts.state, width: '6rem', cell: ({ state }) => <StatusBadge status={state} /> },
  {
    key: 'type',
    header: texts.type,
    width: '4rem',
    isHiddenOnPhone: true,
    cell: ({ type }) => <Badge tone={type === 'live' ? 'info' : 'neutral'}>{texts.types[type]}</Badge>,
  },
  {
    key: 'created',
    header: texts.created,
    width: 'minmax(7rem, 0.7fr)',
    isHiddenOnPhone: true,
    cell: ({ created_at: time, created_by: actor }) => (
      <>
        <Time time={time} format="date" />
        <span className="cell-detail" dir="auto">
          <ActorName actor={actor} />
        </span>
      </>
    ),
  },
  {
    key: 'used',
    header: texts.lastUsed,
    width: '6rem',
    isHiddenOnTablet: true,
    cell: ({ last_used_at: time }) =>
      time === null ? <span className="muted">{strings.common.never}</span> : <Time time={time} format="relative" />,
  },
  { ...countColumn('requests', '4.5rem'), isHiddenOnPhone: true },
  { ...countColumn('succeeded', '5.5rem'), isHiddenOnTablet: true },
  { ...countColumn('failed', '3.5rem'), isHiddenOnTablet: true },
  {
    key: 'quota',
    header: texts.quotaShare,
    width: '4.5rem',
    align: 'end',
    isHiddenOnPhone: true,
    cell: ({ period }) => (
      <span title={texts.quotaShareHint}>
        {period.quota_share === null ? <Count value={period.quota} /> : formatPercent(period.quota_share)}
      </span>
    ),
  },
  {
    key: 'actions',
    header: '',
    width: '2rem',
    align: 'end',
    cell: (key) => (
      <ActionMenu
        label={texts.actions(key.name)}
        actions={[
          { id: 'renders', title: texts.showRenders, icon: 'renders', href: `/renders?key_id=${key.id}` },
          { id: 'events', title: texts.showEvents, icon: 'audit', href: `/audit?actor=${key.id}` },
          {
            id: 'revoke',
            title: texts.revoke,
            icon: 'trash',
            isDangerous: true,
            isDisabled: !mayRevoke || key.state === 'revoked',
            onAction: () => onRevoke(key),
          },
        ]}
      />
    ),
  },
];

/** The API keys of the account. */
export const KeysPage = (): ReactElement => {
  const [values, setValues] = useFilters();
  const [toRevoke, setToRevoke] = useState<KeyResponse | null>(null);
  const denialReason = useDenialReason('keys:write');
  const mayWrite = denialReason === null;
  const [isCreating, setCreating] = useDialog('create', mayWrite);
  const query = {
    state: values['state'] as KeyState,
    type: values['type'] as 'live' | 'test',
    period: values['period'],
  };
  const list = useCursorList(['keys', query], 'keys', (cursor, signal) =>
    api.get('/api/v1/keys', { query: { ...query, limit: pageSize, cursor }, signal }),
  );
  const isFiltered = Boolean(values['state'] || values['type']);
  return (
    <>
      <PageHeader
        title={strings.pages.keys}
        text={texts.text}
        actions={
          <Button variant="primary" icon="plus" onPress={() => setCreating(true)} disabledReason={denialReason}>
            {texts.create}
          </Button>
        }
      />
      <FilterBar filters={filters()} values={values} onChange={setValues} />
      <DataTable
        {...list}
        label={strings.pages.keys}
        rowHeight={56}
        columns={columns(setToRevoke, mayWrite)}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/keys/${id}`}
        empty={
          isFiltered ? (
            <EmptyState icon="keys" title={texts.noMatchTitle} text={strings.common.changeFilters} />
          ) : (
            <EmptyState icon="keys" title={texts.noKeysTitle} text={texts.noKeysText} code={firstRenderCommand()} />
          )
        }
      />
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
      {toRevoke && <RevokeKeyDialog target={toRevoke} onClose={() => setToRevoke(null)} />}
    </>
  );
};
