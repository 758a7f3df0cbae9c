import { type ReactElement, useMemo } from 'react';
import { useMutation } from '@tanstack/react-query';
import { requestBlob, saveBlob } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Select } from '../../components/fields.tsx';
import { formatCount, formatMonth, recentMonths } from '../../components/formats.ts';
import { useFilters } from '../../components/FilterBar.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { showError, showToast } from '../../components/Toast.tsx';
import { strings } from '../../strings/strings.ts';
import { Chart, type ChartSeries } from '../../components/Chart.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { firstRenderCommand } from '../../components/first-render.ts';
import { EmptyState, Notice } from '../../components/notices.tsx';
import { columnsOf, hrefOfRow } from './columns.tsx';
import { Limits } from './Limits.tsx';
import { breakdownQueryOf, useLiveUsage, type View, views, type Breakdown, useBreakdown } from './queries.ts';
import '../../styles/usage.css';

const texts = strings.usage;

/** The renders of each day. The chart is empty while the breakdown is loading: it is undefined then. */
const DayChart = ({ breakdown, month }: { breakdown: Breakdown | undefined; month: string }): ReactElement => {
  const days = useMemo(() => breakdown?.rows.toReversed() ?? [], [breakdown]);
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
      <Chart label={texts.chart(formatMonth(month))} times={times} series={series} format={formatCount} height={180} />
    </div>
  );
};

/** The renders of a month by time or by what they have in common. */
const BreakdownView = ({ by, month }: { by: View; month: string }): ReactElement => {
  const { data, error, isPending, refetch } = useBreakdown(by, month);
  const hasRenders = data?.rows.some(({ renders }) => renders > 0) ?? false;
  return (
    <div className="stack">
      {by === 'day' && (isPending || hasRenders) && <DayChart breakdown={data} month={month} />}
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

const monthsOffered = 12;

const DownloadButton = ({ by, month }: { by: View; month: string }): ReactElement => {
  const download = useMutation({
    mutationFn: async () => {
      const query = { ...breakdownQueryOf(by, month), format: 'csv' };
      saveBlob(await requestBlob('/api/v1/usage/breakdown', { query }), `usage-by-${by}-${month}.csv`);
    },
    onSuccess: () => showToast({ title: texts.downloaded }),
    onError: showError,
  });
  return (
    <Button icon="download" isPending={download.isPending} onPress={() => download.mutate()}>
      {texts.csv}
    </Button>
  );
};

const isView = (value: string | undefined): value is View => views.some((view) => view === value);

export const UsagePage = (): ReactElement => {
  const [{ by: chosenView, month: chosenMonth }, setFilters] = useFilters();
  const months = recentMonths(monthsOffered);
  const thisMonth = months[0]!.value;
  const by = isView(chosenView) ? chosenView : 'day';
  const month = months.find(({ value }) => value === chosenMonth)?.value ?? thisMonth;
  useLiveUsage();
  return (
    <>
      <PageHeader
        title={strings.pages.usage}
        text={texts.text}
        actions={
          <>
            <Select
              label={texts.month}
              isLabelHidden
              value={month}
              onChange={(value) => setFilters({ month: value === thisMonth ? '' : value })}
              options={months}
            />
            <DownloadButton by={by} month={month} />
          </>
        }
      />
      <div className="stack-lg">
        <Limits />
        <Tabs
          label={texts.views.label}
          selected={by}
          onSelect={(view) => setFilters({ by: view === 'day' ? '' : view })}
          tabs={views.map((view) => ({
            id: view,
            title: texts.views[view],
            content: <BreakdownView by={view} month={month} />,
          }))}
        />
      </div>
    </>
  );
};
