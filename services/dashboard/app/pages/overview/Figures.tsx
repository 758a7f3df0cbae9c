import type { ReactElement } from 'react';
import type { StatisticsResponse } from '#contracts/http/statistics.ts';
import { formatDuration, formatPercent, successRate } from '../../components/formats.ts';
import { Skeleton } from '../../components/notices.tsx';
import { Meter, Stat } from '../../components/Stat.tsx';
import { Count, Duration } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { type Range, useQuota, useToday } from './queries.ts';

const texts = strings.overview.stats;
const lowSuccessRate = 0.95;

const Placeholder = (): ReactElement => (
  <div className="card stat">
    <Skeleton lines={2} />
  </div>
);

const Today = (): ReactElement => {
  const { data } = useToday();
  if (!data) return <Placeholder />;
  const { renders, failed } = data.totals;
  return <Stat label={texts.today} value={<Count value={renders} />} text={texts.todayText(failed)} />;
};

const Quota = (): ReactElement => {
  const { data } = useQuota();
  if (!data) return <Placeholder />;
  const { used, limit } = data.quota;
  const share = limit === null ? 0 : used / limit;
  return (
    <Stat
      label={texts.month}
      value={<Count value={used} />}
      text={limit === null ? texts.unlimited : texts.ofLimit(limit)}
      {...(share >= 1 ? { tone: 'danger' } : share >= 0.8 ? { tone: 'warning' } : {})}
      href={limit === null ? undefined : <Meter label={texts.month} used={used} limit={limit} />}
    />
  );
};

type FiguresProps = { statistics: StatisticsResponse | undefined; range: Range };

/** The most important figures of the account: today, the month, and the chosen range. */
export const Figures = ({ statistics, range }: FiguresProps): ReactElement => (
  <div className="grid-4 figures">
    <Today />
    <Quota />
    {statistics ? <SuccessRate statistics={statistics} range={range} /> : <Placeholder />}
    {statistics ? <MedianDuration statistics={statistics} /> : <Placeholder />}
  </div>
);

const SuccessRate = ({ statistics, range }: { statistics: StatisticsResponse; range: Range }): ReactElement => {
  const rate = successRate(statistics.totals);
  const count = strings.overview.renderCount(statistics.totals.renders);
  return (
    <Stat
      label={texts.success}
      value={rate === null ? '–' : formatPercent(rate)}
      text={rate === null ? texts.noneEnded : texts.successText(count, strings.overview.ranges[range])}
      {...(rate !== null && rate < lowSuccessRate ? { tone: 'danger' } : {})}
    />
  );
};

const MedianDuration = ({ statistics }: { statistics: StatisticsResponse }): ReactElement => {
  const { p50_ms: p50, p95_ms: p95 } = statistics.totals;
  return (
    <Stat
      label={texts.duration}
      value={p50 === null ? '–' : <Duration ms={p50} />}
      text={p95 === null ? texts.noDuration : texts.durationText(formatDuration(p95))}
    />
  );
};
