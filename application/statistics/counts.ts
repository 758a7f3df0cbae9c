import type { BreakdownRow } from '#contracts/http/statistics.ts';
import { mergeHistograms, quantileOf } from '#libs/projections/duration-histogram.ts';
import {
  noRenderCounts,
  type RenderCounts,
  renderStatistics,
  type RenderStatisticsDocument,
  statisticsIdPrefix,
} from '#libs/projections/render-statistics.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** The sum of counts. */
export const addCounts = (all: readonly RenderCounts[]): RenderCounts => {
  const [first, ...others] = all;
  if (first === undefined) return noRenderCounts;
  if (others.length === 0) return first;
  const sum = { ...noRenderCounts, errors: {} as Record<string, number> };
  for (const counts of all) {
    sum.renders += counts.renders;
    sum.succeeded += counts.succeeded;
    sum.failed += counts.failed;
    sum.quotaUsed += counts.quotaUsed;
    sum.pages += counts.pages;
    sum.bytes += counts.bytes;
    for (const [error, count] of Object.entries(counts.errors)) sum.errors[error] = (sum.errors[error] ?? 0) + count;
  }
  return { ...sum, durations: mergeHistograms(all.map(({ durations }) => durations)) };
};

/** A part of a whole, 0 to 1, with four decimals; null without a whole. Only no part is 0, and only the whole is 1. */
export const shareOf = (part: number, whole: number): number | null => {
  if (whole === 0) return null;
  const share = Math.round((part / whole) * 10_000) / 10_000;
  return part > 0 && part < whole ? Math.min(0.9999, Math.max(0.0001, share)) : share;
};

/** The median and the 95th percentile in milliseconds; null without a render that succeeded. */
export const durationsView = ({ durations }: RenderCounts): { p50_ms: number | null; p95_ms: number | null } => ({
  p50_ms: quantileOf(durations, 0.5),
  p95_ms: quantileOf(durations, 0.95),
});

/** Counts as the API returns them. */
export const countsView = (counts: RenderCounts): Omit<BreakdownRow, 'value' | 'name'> => ({
  renders: counts.renders,
  succeeded: counts.succeeded,
  failed: counts.failed,
  success_rate: shareOf(counts.succeeded, counts.succeeded + counts.failed),
  ...durationsView(counts),
  quota_used: counts.quotaUsed,
  pages: counts.pages,
  pdf_bytes: counts.bytes,
});

/** The counts of all renders in each of these hours or days, with one query. */
export const readTotals = async (
  reads: ReadStore,
  accountId: string,
  periods: readonly string[],
): Promise<RenderCounts[]> => {
  const ids = periods.map((period) => statisticsIdPrefix(accountId, 'total', period));
  const documents = (await reads.getMany(renderStatistics.name, ids)) as RenderStatisticsDocument[];
  const byPeriod = new Map(documents.map((document) => [document.period, document]));
  return periods.map((period) => byPeriod.get(period) ?? noRenderCounts);
};
