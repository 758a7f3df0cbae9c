import type { ReactElement } from 'react';
import type { DeliverySummary } from '#contracts/http/deliveries.ts';
import { api } from '../../api/client.ts';
import { useCursorList } from '../../api/cursor-list.ts';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { type Filter, FilterBar, type FilterValues, useFilters } from '../../components/FilterBar.tsx';
import { Id } from '../../components/Id.tsx';
import { EmptyState } from '../../components/notices.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Count, Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { useDeliveryListEvents } from './use-webhook-events.ts';

const texts = strings.webhooks;
const statuses = ['pending', 'sent', 'timeout', 'delivered', 'failed'] as const;

const filters: readonly Filter[] = [
  {
    kind: 'select',
    name: 'status',
    label: texts.filters.status,
    options: statuses.map((value) => ({ value, label: strings.status[value] })),
  },
  { kind: 'text', name: 'receiver', label: texts.filters.receiver, placeholder: texts.filters.receiverHint },
  { kind: 'time', since: 'since', until: 'until', label: texts.filters.time },
];
const filterNames = ['status', 'receiver', 'since', 'until'];

/** Host and path of a receiver. */
const receiverOf = (url: string): string => url.replace(/^https:\/\//, '');

const Result = ({ delivery }: { delivery: DeliverySummary }): ReactElement => {
  const { last_response_status: status, last_error: error, next_attempt_at: next } = delivery;
  if (next !== null)
    return (
      <>
        {texts.nextAttempt} <Time time={next} format="relative" />
      </>
    );
  return <>{status === null ? error : texts.responded(status)}</>;
};

const columns: readonly Column<DeliverySummary>[] = [
  {
    key: 'receiver',
    header: texts.columns.receiver,
    width: 'minmax(8rem, 2fr)',
    cell: ({ url, job_id }) => (url === null ? job_id : receiverOf(url)),
  },
  { key: 'status', header: texts.columns.status, width: '7rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'result',
    header: texts.columns.result,
    width: 'minmax(11rem, 1.5fr)',
    isHiddenOnPhone: true,
    cell: (delivery) => <Result delivery={delivery} />,
  },
  {
    key: 'job',
    header: texts.columns.job,
    width: '12rem',
    isHiddenOnTablet: true,
    cell: ({ job_id }) => <Id id={job_id} />,
  },
  {
    key: 'attempts',
    header: texts.columns.attempts,
    width: '5rem',
    align: 'end',
    isHiddenOnTablet: true,
    cell: ({ attempts }) => <Count value={attempts} />,
  },
  {
    key: 'time',
    header: texts.columns.time,
    width: '7rem',
    align: 'end',
    isDetailOnPhone: true,
    cell: ({ created_at }) => <Time time={created_at} format="relative" />,
  },
];

const example = () =>
  `curl -sS --fail-with-body ${window.location.origin}/api/v1/render \\
  -H "Authorization: Bearer $COLOPHON_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"mode": "CONVERT", "input_type": "html", "data": "<h1>Later</h1>", "webhook_url": "https://example.com/hook"}'`;

const queryOf = ({ status, receiver = '', since, until }: FilterValues) => ({
  ...(status ? { status: status as DeliverySummary['status'] } : {}),
  ...(receiver.includes('://') ? { url: receiver } : receiver === '' ? {} : { host: receiver }),
  ...(since ? { since } : {}),
  ...(until ? { until } : {}),
});

/** The list of callbacks. */
export const DeliveriesTab = (): ReactElement => {
  const [values, setValues] = useFilters();
  const query = queryOf(values);
  const queryKey = ['deliveries', query];
  const list = useCursorList(queryKey, 'deliveries', (cursor, signal) =>
    api.get('/api/v1/deliveries', { query: { ...query, limit: 50, cursor }, signal }),
  );
  useDeliveryListEvents(queryKey);
  const isFiltered = filterNames.some((name) => (values[name] ?? '') !== '');
  return (
    <>
      <FilterBar filters={filters} values={values} onChange={setValues} />
      <DataTable
        {...list}
        label={texts.tabs.deliveries}
        columns={columns}
        rowKey={({ job_id }) => job_id}
        rowHref={({ job_id }) => `/webhooks/${job_id}`}
        empty={
          isFiltered ? (
            <EmptyState icon="filter" title={texts.empty.filteredTitle} text={strings.common.changeFilters} />
          ) : (
            <EmptyState icon="webhooks" title={texts.empty.title} text={texts.empty.text} code={example()} />
          )
        }
      />
    </>
  );
};
