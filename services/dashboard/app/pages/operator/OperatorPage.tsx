import type { ReactElement } from 'react';
import type { OperatorAccountResponse } from '#contracts/http/operator.ts';
import { api } from '../../api/client.ts';
import { useCursorList } from '../../api/cursor-list.ts';
import { Button } from '../../components/Button.tsx';
import { optionsOf } from '../../components/fields.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { type Filter, FilterBar, useFilters } from '../../components/FilterBar.tsx';
import { formatCount } from '../../components/formats.ts';
import { Id } from '../../components/Id.tsx';
import { EmptyState } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Meter } from '../../components/Stat.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { Time } from '../../components/values.tsx';
import { useDialog } from '../../components/use-dialog.ts';
import { strings } from '../../strings/strings.ts';
import { OpenAccountDialog } from './OpenAccountDialog.tsx';
import { OperatorList } from './OperatorList.tsx';
import { OperatorsOnly } from './OperatorsOnly.tsx';

const texts = strings.operator;

type Query = NonNullable<NonNullable<Parameters<typeof api.get<'/api/v1/operator/accounts'>>[1]>['query']>;

const columns: Column<OperatorAccountResponse>[] = [
  { key: 'name', header: texts.account, width: 'minmax(8rem, 2fr)', cell: ({ name }) => name },
  {
    key: 'id',
    header: strings.settings.accountId,
    width: '12rem',
    isHiddenOnTablet: true,
    cell: ({ id }) => <Id id={id} withoutLink />,
  },
  { key: 'plan', header: texts.plan, width: '6rem', isHiddenOnPhone: true, cell: ({ plan }) => texts.plans[plan] },
  { key: 'state', header: texts.state, width: '7.5rem', cell: ({ state }) => <StatusBadge status={state} /> },
  {
    key: 'usage',
    header: texts.usage,
    width: 'minmax(9rem, 1fr)',
    isHiddenOnPhone: true,
    cell: ({ usage: { used, limit } }) => (
      <span className="usage-cell">
        <span className="number">
          {limit === null ? formatCount(used) : texts.usageOf(formatCount(used), formatCount(limit))}
        </span>
        {limit !== null && <Meter label={texts.usage} used={used} limit={limit} />}
      </span>
    ),
  },
  {
    key: 'opened',
    header: texts.opened,
    width: '7.5rem',
    isHiddenOnTablet: true,
    cell: ({ opened_at: time }) => <Time time={time} format="date" />,
  },
];

const filters: readonly Filter[] = [
  { kind: 'text', name: 'search', label: texts.searchAccounts },
  {
    kind: 'select',
    name: 'plan',
    label: texts.plan,
    options: optionsOf(texts.plans),
  },
  {
    kind: 'select',
    name: 'state',
    label: texts.state,
    options: (['active', 'suspended'] as const).map((value) => ({ value, label: strings.status[value] })),
  },
];

const Accounts = (): ReactElement => {
  const [values, change] = useFilters();
  const { search, plan, state } = values;
  // The service refuses values that the address has but the lists do not.
  const query = { search, plan, state } as Query;
  const list = useCursorList(['operator-accounts', query], 'accounts', (cursor, signal) =>
    api.get('/api/v1/operator/accounts', { query: { ...query, cursor, limit: 100 }, signal }),
  );
  return (
    <>
      <FilterBar filters={filters} values={values} onChange={change} />
      <DataTable
        label={strings.pages.operator}
        columns={columns}
        {...list}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/operator/${id}`}
        empty={
          <EmptyState
            icon="operator"
            title={texts.noAccounts}
            text={texts.noAccountsText}
            code={'colophon account create --name "Paper Mill" --plan starter'}
          />
        }
      />
    </>
  );
};

const Installation = (): ReactElement => {
  const [isOpening, setOpening] = useDialog('open');
  const [{ tab = 'accounts' }, change] = useFilters();
  return (
    <>
      <PageHeader
        title={strings.pages.operator}
        text={texts.text}
        actions={
          <Button variant="primary" icon="plus" onPress={() => setOpening(true)}>
            {texts.openAccount}
          </Button>
        }
      />
      <Tabs
        label={strings.pages.operator}
        selected={tab}
        onSelect={(id) => change({ tab: id === 'accounts' ? '' : id })}
        tabs={[
          { id: 'accounts', title: texts.accounts, content: <Accounts /> },
          { id: 'operators', title: texts.operators, content: <OperatorList /> },
        ]}
      />
      {isOpening && <OpenAccountDialog onClose={() => setOpening(false)} />}
    </>
  );
};

/** All accounts of the installation, and who may see them. */
export const OperatorPage = (): ReactElement => (
  <OperatorsOnly>
    <Installation />
  </OperatorsOnly>
);
