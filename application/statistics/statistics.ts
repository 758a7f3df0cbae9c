import type { StatisticsQuery, StatisticsResponse } from '#contracts/http/statistics.ts';
import { readModels } from '#contracts/names.ts';
import {
  allTime,
  noWebhookCounts,
  webhookStatisticsId,
  type WebhookCounts,
  type WebhookStatisticsDocument,
} from '#libs/projections/webhook-statistics.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { addCounts, countsView, durationsView, readTotals } from './counts.ts';
import { rangeOf } from './periods.ts';

const readWebhookCounts = async (
  reads: ReadStore,
  accountId: string,
  days: readonly string[],
): Promise<StatisticsResponse['webhooks']> => {
  const ids = [...days, allTime].map((period) => webhookStatisticsId(accountId, period));
  const documents = (await reads.getMany(readModels.webhookStatistics, ids)) as WebhookStatisticsDocument[];
  const sum: WebhookCounts = { ...noWebhookCounts };
  let pending = 0;
  for (const { period, ...counts } of documents) {
    if (period === allTime) pending = Math.max(0, counts.requested - counts.delivered - counts.failed);
    else for (const name of Object.keys(sum) as (keyof WebhookCounts)[]) sum[name] += counts[name];
  }
  const { failedAttempts: failed_attempts, ...others } = sum;
  return { ...others, failed_attempts, pending };
};

const startOf = (period: string): string => new Date(period.length === 13 ? `${period}:00Z` : period).toISOString();

/** The statistics of an account in a range. @throws ApiError invalid_request for a wrong range */
export const readStatistics = async (
  reads: ReadStore,
  accountId: string,
  query: StatisticsQuery,
  now: Date,
): Promise<Omit<StatisticsResponse, 'attention'>> => {
  const { since, until, periods } = rangeOf(query, query.interval, now);
  const days = [...new Set(periods.map((period) => period.slice(0, 10)))];
  const [counts, webhooks] = await Promise.all([
    readTotals(reads, accountId, periods),
    readWebhookCounts(reads, accountId, days),
  ]);
  const total = addCounts(counts);
  return {
    since: since.toISOString(),
    until: until.toISOString(),
    interval: query.interval,
    totals: { ...countsView(total), running: Math.max(0, total.renders - total.succeeded - total.failed) },
    failures: Object.entries(total.errors)
      .map(([error, count]) => ({ error, count }))
      .toSorted((a, b) => b.count - a.count || a.error.localeCompare(b.error)),
    series: counts.map((one, index) => ({
      time: startOf(periods[index]!),
      renders: one.renders,
      succeeded: one.succeeded,
      failed: one.failed,
      ...durationsView(one),
    })),
    webhooks,
  };
};
