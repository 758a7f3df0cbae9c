import type { ReactNode } from 'react';
import type { BreakdownRow } from '#contracts/http/statistics.ts';
import { type Column } from '../../components/DataTable.tsx';
import { formatMonth, formatPercent, successRate } from '../../components/formats.ts';
import { hrefOfId, Id } from '../../components/Id.tsx';
import { Bytes, Count, Duration } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import type { View } from './queries.ts';

const texts = strings.usage;

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

const titleOf = (by: View, { value, name }: BreakdownRow): ReactNode => {
  if (by === 'day') return <time dateTime={value}>{dayFormat.format(new Date(value))}</time>;
  if (by === 'month') return <time dateTime={value}>{formatMonth(value)}</time>;
  if (by === 'input_type') return <span className="mono">{value}</span>;
  return (
    <>
      {name ?? (value.startsWith('person_') ? texts.person : texts.deletedTemplate)}
      <span className="cell-detail" dir="auto">
        <Id id={value} withoutLink withoutCopy />
      </span>
    </>
  );
};

/** The renders that a row counts. */
export const hrefOfRow = (by: View, { value, name }: BreakdownRow): string | undefined => {
  if (by === 'key') return hrefOfId(value);
  if (by === 'template') return name === null ? undefined : hrefOfId(value);
  // A composed document has parts of several types; the list of renders knows it by its mode.
  if (by === 'input_type' && value === 'composition') return '/renders?mode=COMPOSE';
  if (by === 'input_type') return `/renders?${new URLSearchParams({ input_type: value })}`;
  return undefined;
};

const orDash = (value: number | null, show: (value: number) => ReactNode): ReactNode =>
  value === null ? <span className="muted">–</span> : show(value);

const duration = (ms: number): ReactNode => <Duration ms={ms} />;

const numberColumn = (
  key: keyof typeof texts.columns,
  minWidth: string,
  cell: Column<BreakdownRow>['cell'],
  visibility: Pick<Column<BreakdownRow>, 'isHiddenOnPhone' | 'isHiddenOnTablet'> = {},
): Column<BreakdownRow> => ({
  key,
  header: texts.columns[key],
  width: `minmax(${minWidth}, 0.6fr)`,
  align: 'end',
  cell,
  ...visibility,
});

const notOnPhone = { isHiddenOnPhone: true };
const notOnTablet = { isHiddenOnTablet: true };

export const columnsOf = (by: View): Column<BreakdownRow>[] => [
  { key: 'value', header: texts.columns[by], width: 'minmax(8rem, 1.6fr)', cell: (row) => titleOf(by, row) },
  numberColumn('renders', '4rem', ({ renders }) => <Count value={renders} />),
  numberColumn('failed', '3.5rem', ({ failed }) => <Count value={failed} />),
  numberColumn('success', '4.5rem', (row) => orDash(successRate(row), formatPercent), notOnPhone),
  numberColumn('p50', '4.5rem', ({ p50_ms: ms }) => orDash(ms, duration), notOnPhone),
  numberColumn('p95', '4.5rem', ({ p95_ms: ms }) => orDash(ms, duration), notOnTablet),
  numberColumn('quota', '4rem', ({ quota_used: used }) => <Count value={used} />, notOnPhone),
  numberColumn('pages', '4rem', ({ pages }) => <Count value={pages} />, notOnTablet),
  numberColumn('size', '5rem', ({ pdf_bytes: bytes }) => <Bytes bytes={bytes} />, notOnTablet),
];
