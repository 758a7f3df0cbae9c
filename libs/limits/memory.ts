import type { Allowance, Limits } from './port.ts';

const minuteMs = 60_000;
const minuteEnd = (now: Date): Date => new Date((Math.floor(now.getTime() / minuteMs) + 1) * minuteMs);
const monthEnd = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
/** `YYYY-MM` in UTC. */
export const monthOf = (now: Date): string => now.toISOString().slice(0, 7);

type Count = { window: string; used: number };

const take = (count: Count, limit: number | null, resetAt: Date): Allowance => {
  const allowed = limit === null || count.used < limit;
  if (allowed) count.used += 1;
  return { allowed, limit, used: count.used, resetAt };
};

/**
 * Limits of a single process. Renders of the month go on from `rendersSoFar`, which counts them from the log
 * once for each account and month; requests of the minute begin anew with the process.
 */
export const openMemoryLimits = (rendersSoFar: (accountId: string, month: string) => Promise<number>): Limits => {
  const requests = new Map<string, Count>();
  const renders = new Map<string, Promise<Count>>();

  const requestCount = (accountId: string, window: string): Count => {
    const known = requests.get(accountId);
    if (known?.window === window) return known;
    const fresh = { window, used: 0 };
    requests.set(accountId, fresh);
    return fresh;
  };

  const renderCount = async (accountId: string, month: string): Promise<Count> => {
    const known = await renders.get(accountId);
    if (known?.window === month) return known;
    const again = renders.get(accountId);
    if (again && (await again).window === month) return again;
    const loading = rendersSoFar(accountId, month).then((used) => ({ window: month, used }));
    renders.set(accountId, loading);
    loading.catch(() => renders.delete(accountId));
    return loading;
  };

  return {
    takeRequest: async (accountId, perMinute, now) => {
      const resetAt = minuteEnd(now);
      return take(requestCount(accountId, resetAt.toISOString()), perMinute, resetAt);
    },
    takeRender: async (accountId, perMonth, now) => take(await renderCount(accountId, monthOf(now)), perMonth, monthEnd(now)),
    giveBackRender: async (accountId, at) => {
      const count = await renderCount(accountId, monthOf(at));
      count.used = Math.max(0, count.used - 1);
    },
    renders: async (accountId, perMonth, now) => {
      const { used } = await renderCount(accountId, monthOf(now));
      return { allowed: perMonth === null || used < perMonth, limit: perMonth, used, resetAt: monthEnd(now) };
    },
  };
};
