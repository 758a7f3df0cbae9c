import { type Count, openCounts } from './counts.ts';
import type { Allowance, Limits } from './port.ts';

const minuteMs = 60_000;
const minuteEnd = (now: Date): Date => new Date((Math.floor(now.getTime() / minuteMs) + 1) * minuteMs);
const monthEnd = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
/** `YYYY-MM` in UTC. */
export const monthOf = (now: Date): string => now.toISOString().slice(0, 7);

const allowanceOf = (count: Count, limit: number | null, resetAt: Date): Allowance => ({ allowed: limit === null || count.used < limit, limit, used: count.used, resetAt });

const take = (count: Count, limit: number | null, resetAt: Date): Allowance => {
  const { allowed } = allowanceOf(count, limit, resetAt);
  if (allowed) count.used += 1;
  return { ...allowanceOf(count, limit, resetAt), allowed };
};

/**
 * Limits of a single process. Renders of the month go on from `rendersSoFar`, which counts them from the log
 * once for each account and month; requests of the minute begin anew with the process.
 */
export const openMemoryLimits = (rendersSoFar: (accountId: string, month: string) => Promise<number>): Limits => {
  const requests = openCounts((): Count => ({ used: 0 }));
  const renders = openCounts((accountId, month): Promise<Count> => {
    const counting = rendersSoFar(accountId, month).then((used) => ({ used }));
    counting.catch(() => renders.forget(accountId, month));
    return counting;
  });

  return {
    takeRequest: async (accountId, perMinute, now) => {
      const resetAt = minuteEnd(now);
      return take(requests.find(accountId, resetAt.toISOString()), perMinute, resetAt);
    },
    takeRender: async (accountId, perMonth, now) => take(await renders.find(accountId, monthOf(now)), perMonth, monthEnd(now)),
    giveBackRender: async (accountId, at) => {
      const count = await renders.find(accountId, monthOf(at));
      count.used = Math.max(0, count.used - 1);
    },
    renders: async (accountId, perMonth, now) => allowanceOf(await renders.find(accountId, monthOf(now)), perMonth, monthEnd(now)),
  };
};
