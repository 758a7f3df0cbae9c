import { type ReactElement, useMemo } from 'react';
import { Chart, type ChartSeries } from '../../components/Chart.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { EmptyState, Notice } from '../../components/notices.tsx';
import { strings } from '../../strings/strings.ts';
import { firstRenderCommand } from '../overview/first-render.ts';
import { columnsOf, hrefOfRow, monthText } from './columns.tsx';
import { type Breakdown, useBreakdown, type View } from './queries.ts';

const texts = strings.usage;
const formatCount = (value: number): string => value.toLocaleString();

const DayChart = ({ breakdown, month }: { breakdown: Breakdown; month: string }): ReactElement => {
  const days = useMemo(() => breakdown.rows.toReversed(), [breakdown]);
  const times = useMemo(() => days.map(({ value }) => value), [days]);
  const series = useMemo(
    (): ChartSeries[] => [
      { label: texts.chartSeries, values: days.map(({ renders }) => renders), kind: 'bars' },
      { label: texts.chartFailed, values: days.map(({ failed }) => failed), kind: 'bars', color: 'danger' },
    ],
    [days],
  );
  return (
    <div className="card">
      <Chart label={texts.chart(monthText(month))} times={times} series={series} format={formatCount} height={180} />
    </div>
  );
};

/** The renders of a month by time or by what they have in common. */
export const BreakdownView = ({ by, month }: { by: View; month: string }): ReactElement => {
  const { data, error, isPending, refetch } = useBreakdown(by, month);
  const hasRenders = data?.rows.some(({ renders }) => renders > 0) ?? false;
  return (
    <div className="stack">
      {by === 'day' && data && hasRenders && <DayChart breakdown={data} month={month} />}
      {data?.isTruncated && <Notice tone="info">{texts.truncated(data.rows.length)}</Notice>}
      <DataTable
        label={texts.views[by]}
        columns={columnsOf(by)}
        rows={data && hasRenders ? data.rows : []}
        rowKey={({ value }) => value}
        rowHref={(row) => hrefOfRow(by, row)}
        rowHeight={by === 'key' || by === 'template' ? 56 : 40}
        isLoading={isPending}
        error={error}
        onRetry={() => void refetch()}
        empty={<EmptyState icon="usage" title={texts.emptyTitle} text={texts.emptyText} code={firstRenderCommand()} />}
      />
    </div>
  );
};
