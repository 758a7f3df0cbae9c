import type { ReactElement } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { UsageResponse } from '#contracts/http/account.ts';
import type { StatisticsResponse } from '#contracts/http/statistics.ts';
import { Button } from '../../components/Button.tsx';
import { formatDuration, formatPercent, successRate } from '../../components/formats.ts';
import { Skeleton } from '../../components/notices.tsx';
import { Meter, Stat, toneOfShare } from '../../components/Stat.tsx';
import { Count, Duration } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import type { Range } from './queries.ts';

const texts = strings.overview.stats;
const lowSuccessRate = 0.95;

/**
 * Cards in place of figures that are loading. What is below appears with the last of them, or after some seconds
 * (base.css): the height of each figure depends on its data.
 */
export const Placeholders = ({ count }: { count: number }): ReactElement => (
  <div className="grid-4 figures">
    {Array.from({ length: count }, (_, card) => (
      <div key={card} className="card stat">
        <Skeleton />
      </div>
    ))}
  </div>
);

type FailedFigureProps = {
  label: string;
  query: UseQueryResult;
  /** Default: true. The page has a button of its own for the statistics. */
  hasRetry?: boolean;
};

/** In place of a figure that could not be loaded. */
const FailedFigure = ({ label, query, hasRetry = true }: FailedFigureProps): ReactElement => (
  <Stat label={label} value="–" text={query.error?.message}>
    {hasRetry && (
      <Button size="small" icon="refresh" onPress={() => void query.refetch()}>
        {strings.common.retry}
      </Button>
    )}
  </Stat>
);

const Today = ({ query }: { query: UseQueryResult<StatisticsResponse> }): ReactElement | null => {
  if (query.isPending) return null;
  if (!query.data) return <FailedFigure label={texts.today} query={query} />;
  const { renders, failed } = query.data.totals;
  return <Stat label={texts.today} value={<Count value={renders} />} text={texts.todayText(failed)} />;
};

const Quota = ({ query }: { query: UseQueryResult<UsageResponse> }): ReactElement | null => {
  if (query.isPending) return null;
  if (!query.data) return <FailedFigure label={texts.month} query={query} />;
  const { used, limit } = query.data.quota;
  const share = limit === null ? 0 : used / limit;
  return (
    <Stat
      label={texts.month}
      value={<Count value={used} />}
      text={limit === null ? texts.unlimited : texts.ofLimit(limit)}
      tone={toneOfShare(share)}
    >
      {limit !== null && <Meter label={texts.month} used={used} limit={limit} />}
    </Stat>
  );
};

type FiguresProps = {
  statistics: UseQueryResult<StatisticsResponse>;
  today: UseQueryResult<StatisticsResponse>;
  quota: UseQueryResult<UsageResponse>;
  range: Range;
};

/** The most important figures of the account that have loaded or failed: today, the month, and the chosen range. */
export const Figures = ({ statistics, today, quota, range }: FiguresProps): ReactElement => (
  <div className="grid-4 figures">
    <Today query={today} />
    <Quota query={quota} />
    {statistics.data ? (
      <>
        <SuccessRate statistics={statistics.data} range={range} />
        <MedianDuration statistics={statistics.data} />
      </>
    ) : statistics.isPending ? null : (
      <>
        <FailedFigure label={texts.success} query={statistics} hasRetry={false} />
        <FailedFigure label={texts.duration} query={statistics} hasRetry={false} />
      </>
    )}
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
      tone={rate !== null && rate < lowSuccessRate ? 'danger' : undefined}
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
