import type { Allowance } from './port.ts';

const minuteMs = 60_000;

/** Counts are kept for so long, for a clock that is set back. */
export const minutesKeptMs = 2 * 3_600_000;
export const monthsKept = 3;

/** The end of the minute on the clock. */
export const minuteEnd = (now: Date): Date => new Date((Math.floor(now.getTime() / minuteMs) + 1) * minuteMs);

/** The end of the calendar month, UTC. */
export const monthEnd = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));

/** `YYYY-MM` in UTC. */
export const monthOf = (now: Date): string => now.toISOString().slice(0, 7);

/** How a window stands after `used` of `limit`, with no more counted. */
export const standing = (used: number, limit: number | null, resetAt: Date): Allowance => ({ allowed: limit === null || used < limit, limit, used, resetAt });
