import type { LimitStatus } from './port.ts';

const minuteMs = 60_000;

/** The end of the clock minute. */
export const minuteEnd = (now: Date): Date => new Date((Math.floor(now.getTime() / minuteMs) + 1) * minuteMs);

const monthStart = (now: Date, monthsLater: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsLater, 1));

/** The end of the calendar month, UTC. */
export const monthEnd = (now: Date): Date => monthStart(now, 1);

/** `YYYY-MM` in UTC. */
export const monthOf = (now: Date): string => now.toISOString().slice(0, 7);

/** Counters of minutes that ended before this time (in milliseconds) are removed. Newer ones are kept in case a clock is set back. */
export const oldestMinuteKept = (now: Date): number => now.getTime() - 120 * minuteMs;

/** Counters of earlier months are removed. */
export const oldestMonthKept = (now: Date): string => monthOf(monthStart(now, -3));

/** The month of `now` and the month before, because its last renders may still fail. */
export const correctedMonths = (now: Date): readonly string[] => [monthOf(now), monthOf(monthStart(now, -1))];

/** The state of a window in which `used` of `limit` are used. */
export const limitStatus = (used: number, limit: number | null, resetAt: Date): LimitStatus => ({
  allowed: limit === null || used < limit,
  limit,
  used,
  resetAt,
});
