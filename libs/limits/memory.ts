import { type Count, openCounts } from './counts.ts';
import type { Allowance, Limits, LogFact, ReadMonth } from './port.ts';
import { minuteEnd, monthEnd, monthOf, standing } from './windows.ts';

const take = (count: Count, limit: number | null, resetAt: Date): Allowance => {
  const { allowed } = standing(count.used, limit, resetAt);
  if (allowed) count.used += 1;
  return { ...standing(count.used, limit, resetAt), allowed };
};

const takeBack = (count: Count): void => {
  count.used = Math.max(0, count.used - 1);
};

type OpenRender = { accountId: string; month: string; since: Date };

/**
 * Limits of a single process, gone with it. Renders of the month go on from what the log says;
 * requests of the minute begin anew.
 */
export const openMemoryLimits = (readMonth: ReadMonth): Limits => {
  const requests = openCounts((): Count => ({ used: 0, through: 0 }));
  const renders = openCounts((accountId, month): Promise<Count> => {
    const counting = readMonth(accountId, month).then((inLog) => ({ ...inLog }));
    counting.catch(() => renders.forget(accountId, month));
    return counting;
  });
  const open = new Map<string, OpenRender>();

  const learn = async (fact: LogFact): Promise<void> => {
    if (fact.kind === 'accepted') return void open.delete(fact.renderId);
    const count = await renders.known(fact.accountId, fact.month);
    if (!count || count.through >= fact.position) return;
    count.through = fact.position;
    takeBack(count);
  };

  const takeRequest = (accountId: string, perMinute: number | null, now: Date): Allowance => {
    const resetAt = minuteEnd(now);
    return take(requests.find(accountId, resetAt.toISOString()), perMinute, resetAt);
  };
  const rendersOf: Limits['renders'] = async (accountId, perMonth, now) => standing((await renders.find(accountId, monthOf(now))).used, perMonth, monthEnd(now));

  return {
    admit: async (accountId, { perMinute, perMonth }, now) => ({ minute: takeRequest(accountId, perMinute, now), month: await rendersOf(accountId, perMonth, now) }),
    requests: async (accountId, perMinute, now) => {
      const resetAt = minuteEnd(now);
      return standing(requests.find(accountId, resetAt.toISOString()).used, perMinute, resetAt);
    },
    takeRender: async ({ id, accountId }, perMonth, now) => {
      const month = monthOf(now);
      const count = await renders.find(accountId, month);
      if (open.has(id)) return { ...standing(count.used, perMonth, monthEnd(now)), allowed: true };
      const allowance = take(count, perMonth, monthEnd(now));
      if (allowance.allowed) open.set(id, { accountId, month, since: now });
      return allowance;
    },
    forgoRender: async (renderId) => {
      const found = open.get(renderId);
      if (!found) return;
      open.delete(renderId);
      takeBack(await renders.find(found.accountId, found.month));
    },
    learn: async (facts) => {
      for (const fact of facts) await learn(fact);
    },
    openRenders: async (before) => [...open].filter(([, { since }]) => since < before).map(([id]) => id),
    renders: rendersOf,
    close: async () => undefined,
  };
};
