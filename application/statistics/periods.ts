import { invalidField } from '#contracts/http/api-error.ts';
import { maxStatisticsDays, maxStatisticsHours, type StatisticsInterval } from '#contracts/http/statistics.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const intervals = {
  hour: { ms: hourMs, length: 'YYYY-MM-DDTHH'.length, max: maxStatisticsHours, limit: `${maxStatisticsHours} hours` },
  day: { ms: dayMs, length: 'YYYY-MM-DD'.length, max: maxStatisticsDays, limit: `${maxStatisticsDays} days` },
} as const;

/** A range of time in whole intervals: `until` is not part of it. `periods` are its intervals as the read model names them. */
export type StatisticsRange = { since: Date; until: Date; periods: string[] };

type RequestedRange = { since?: string | undefined; until?: string | undefined };

/**
 * The range of a request in whole UTC intervals. Without `since` it begins with the month, or with the day for hours; it
 * ends with the current interval at the latest.
 * @throws ApiError invalid_request for an empty range, one that lies in the future, or one with too many intervals
 */
export const rangeOf = (requested: RequestedRange, interval: StatisticsInterval, now: Date): StatisticsRange => {
  const { ms, length, max, limit } = intervals[interval];
  const today = now.toISOString().slice(0, 10);
  const defaultSince = interval === 'day' ? `${today.slice(0, 7)}-01` : today;
  const since = Math.floor(Date.parse(requested.since ?? defaultSince) / ms) * ms;
  const end = (Math.floor(now.getTime() / ms) + 1) * ms;
  const until = requested.until === undefined ? end : Math.ceil(Date.parse(requested.until) / ms) * ms;
  if (since >= end) throw invalidField('since', 'since is in the future.');
  if (until <= since) throw invalidField('until', 'until must be after since.');
  const count = (Math.min(until, end) - since) / ms;
  if (count > max) throw invalidField('since', `since and until are too far apart; at most ${limit} are allowed.`);
  const periods = Array.from({ length: count }, (_, index) =>
    new Date(since + index * ms).toISOString().slice(0, length),
  );
  return { since: new Date(since), until: new Date(Math.min(until, end)), periods };
};

/** The UTC days `YYYY-MM-DD` of a range as months `YYYY-MM` where it has all days of a month so far, and days elsewhere. */
export const monthsAndDays = (days: readonly string[], now: Date): string[] => {
  const today = now.toISOString().slice(0, 10);
  return [...Map.groupBy(days, (day) => day.slice(0, 7))].flatMap(([month, ofMonth]) => {
    const [year, number] = [Number(month.slice(0, 4)), Number(month.slice(5))];
    const last = new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
    const isWhole = ofMonth[0]!.endsWith('-01') && ofMonth.at(-1)! >= (last < today ? last : today);
    return isWhole ? [month] : ofMonth;
  });
};
