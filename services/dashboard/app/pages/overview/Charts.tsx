import { type ReactElement, useMemo } from 'react';
import type { StatisticsResponse } from '#contracts/http/statistics.ts';
import { Card } from '../../components/Card.tsx';
import { Chart, type ChartSeries } from '../../components/Chart.tsx';
import { formatCount, formatDuration } from '../../components/formats.ts';
import { strings } from '../../strings/strings.ts';
import type { Range } from './queries.ts';

const texts = strings.overview.chart;

/** The renders and their durations over the range. A bar of failures stands in front of that of all renders. */
export const Charts = ({ statistics, range }: { statistics: StatisticsResponse; range: Range }): ReactElement => {
  const { series, interval } = statistics;
  const times = useMemo(
    () => series.map(({ time }) => (interval === 'day' ? time.slice(0, 10) : time)),
    [series, interval],
  );
  const renders = useMemo(
    (): ChartSeries[] => [
      { label: texts.title, values: series.map((one) => one.renders), kind: 'bars' },
      { label: texts.failed, values: series.map((one) => one.failed), kind: 'bars', color: 'danger' },
    ],
    [series],
  );
  const durations = useMemo(
    (): ChartSeries[] => [
      { label: texts.p50, values: series.map((one) => one.p50_ms) },
      { label: texts.p95, values: series.map((one) => one.p95_ms), color: 'info' },
    ],
    [series],
  );
  const rangeText = strings.overview.ranges[range];
  return (
    <div className="grid-2">
      <Card title={texts.title}>
        <Chart label={texts.label(rangeText)} times={times} series={renders} format={formatCount} />
      </Card>
      <Card title={texts.durations}>
        <Chart label={texts.durationsLabel(rangeText)} times={times} series={durations} format={formatDuration} />
      </Card>
    </div>
  );
};
