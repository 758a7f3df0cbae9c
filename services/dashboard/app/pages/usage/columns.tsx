import type { ReactNode } from 'react';
import type { BreakdownRow } from '#contracts/http/statistics.ts';
import { type Column } from '../../components/DataTable.tsx';
import { formatPercent } from '../../components/formats.ts';
import { hrefOfId, Id } from '../../components/Id.tsx';
import { Bytes, Count, Duration } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import type { View } from './queries.ts';

const texts = strings.usage;

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const monthFormat = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'long', timeZone: 'UTC' });

/** A month `YYYY-MM` in words. */
export const monthText = (month: string): string => monthFormat.format(new Date(`${month}-01`));

const titleOf = (by: View, { value, name }: BreakdownRow): ReactNode => {
  if (by === 'day') return <time dateTime={value}>{dayFormat.format(new Date(value))}</time>;
  if (by === 'month') return <time dateTime={value}>{monthText(value)}</time>;
  if (by === 'input_type') return <span className="mono">{value}</span>;
  return (
    <>
      {name ?? (value.startsWith('person_') ? texts.person : texts.deletedTemplate)}
      <span className="cell-detail">
        <Id id={value} withoutLink withoutCopy />
      </span>
    </>
  );
};

/** The renders that a row counts. */
export const hrefOfRow = (by: View, { value, name }: BreakdownRow): string | undefined => {
  if (by === 'key') return hrefOfId(value);
  if (by === 'template') return name === null ? undefined : hrefOfId(value);
  if (by === 'input_type') return `/renders?${new URLSearchParams({ input_type: value })}`;
  return undefined;
};

const orDash = (value: number | null, show: (value: number) => ReactNode): ReactNode =>
  value === null ? <span className="muted">–</span> : show(value);

export const columnsOf = (by: View): Column<BreakdownRow>[] => [
  { key: 'value', header: texts.columns[by], width: 'minmax(8rem, 1.6fr)', cell: (row) => titleOf(by, row) },
  {
    key: 'renders',
    header: texts.columns.renders,
    width: 'minmax(4rem, 0.6fr)',
    align: 'end',
    cell: ({ renders }) => <Count value={renders} />,
  },
  {
    key: 'failed',
    header: texts.columns.failed,
    width: 'minmax(3.5rem, 0.6fr)',
    align: 'end',
    cell: ({ failed }) => <Count value={failed} />,
  },
  {
    key: 'success',
    header: texts.columns.success,
    width: 'minmax(4.5rem, 0.6fr)',
    align: 'end',
    isHiddenOnPhone: true,
    cell: ({ success_rate: rate }) => orDash(rate, formatPercent),
  },
  {
    key: 'p50',
    header: texts.columns.p50,
    width: 'minmax(4.5rem, 0.6fr)',
    align: 'end',
    isHiddenOnPhone: true,
    cell: ({ p50_ms: ms }) => orDash(ms, (value) => <Duration ms={value} />),
  },
  {
    key: 'p95',
    header: texts.columns.p95,
    width: 'minmax(4.5rem, 0.6fr)',
    align: 'end',
    isHiddenOnTablet: true,
    cell: ({ p95_ms: ms }) => orDash(ms, (value) => <Duration ms={value} />),
  },
  {
    key: 'quota',
    header: texts.columns.quota,
    width: 'minmax(4rem, 0.6fr)',
    align: 'end',
    isHiddenOnPhone: true,
    cell: ({ quota_used: used }) => <Count value={used} />,
  },
  {
    key: 'pages',
    header: texts.columns.pages,
    width: 'minmax(4rem, 0.6fr)',
    align: 'end',
    isHiddenOnTablet: true,
    cell: ({ pages }) => <Count value={pages} />,
  },
  {
    key: 'size',
    header: texts.columns.size,
    width: 'minmax(5rem, 0.6fr)',
    align: 'end',
    isHiddenOnTablet: true,
    cell: ({ pdf_bytes: bytes }) => <Bytes bytes={bytes} />,
  },
];
