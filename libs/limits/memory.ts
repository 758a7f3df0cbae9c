import type { Allowance, Limits, Quota, UsageReader } from './port.ts';
import { minuteEnd, monthEnd, monthOf, oldestMinuteKept, oldestMonthKept, standing } from './windows.ts';

/** `open` are counted renders that the usage does not have: the position of their acceptance, null where not known. */
type Month = { accountId: string; month: string; used: number; through: number; open: Map<string, number | null> };

const settle = ({ open, through }: Month, id: string, position: number): void => {
  if (position <= through) open.delete(id);
  else open.set(id, position);
};

/**
 * Limits of one process. Requests are counted in memory. The renders of a month are those of the usage read model
 * and those that are on their way into it.
 */
export const openMemoryLimits = (usage: UsageReader): Limits => {
  const minutes = new Map<number, Map<string, number>>();
  const months = new Map<string, Month>();
  let caughtUp: Promise<void> | undefined;

  const monthFor = (accountId: string, at: Date): Month => {
    const key = `${accountId}/${monthOf(at)}`;
    const month = months.get(key) ?? { accountId, month: monthOf(at), used: 0, through: 0, open: new Map() };
    months.set(key, month);
    return month;
  };

  /** The usage has all that was accepted before this process began. What is accepted later is counted here first. */
  const refresh = async (month: Month): Promise<Month> => {
    await (caughtUp ??= usage.caughtUp().catch((error: unknown) => {
      caughtUp = undefined;
      throw error;
    }));
    const { used, through } = await usage.of(month.accountId, month.month);
    // Of two looks at once the earlier may be told last.
    if (through < month.through) return month;
    Object.assign(month, { used, through });
    for (const [id, position] of month.open) if (position !== null) settle(month, id, position);
    return month;
  };

  const monthStanding = async (accountId: string, { perMonth }: Quota, now: Date): Promise<Allowance> => {
    if (perMonth === null) return standing(0, null, monthEnd(now));
    const { used, open } = await refresh(monthFor(accountId, now));
    return standing(used + open.size, perMonth, monthEnd(now));
  };
  const minuteStanding = (accountId: string, perMinute: number | null, now: Date): Allowance => {
    const resetAt = minuteEnd(now);
    return standing(minutes.get(resetAt.getTime())?.get(accountId) ?? 0, perMinute, resetAt);
  };
  const countRequest = (accountId: string, perMinute: number | null, now: Date): Allowance => {
    const before = minuteStanding(accountId, perMinute, now);
    if (!before.allowed) return before;
    const ends = before.resetAt.getTime();
    const counts = minutes.get(ends) ?? new Map<string, number>();
    minutes.set(ends, counts.set(accountId, before.used + 1));
    return { ...before, used: before.used + 1 };
  };

  return {
    admit: async (accountId, { perMinute, ...quota }, now) => {
      const minute = countRequest(accountId, perMinute, now);
      return { minute, month: await monthStanding(accountId, quota, now) };
    },
    look: async (accountId, { perMinute, ...quota }, now) => {
      const minute = minuteStanding(accountId, perMinute, now);
      return { minute, month: await monthStanding(accountId, quota, now) };
    },
    takeRender: async ({ id, accountId, perMonth, at }) => {
      const month = monthFor(accountId, at);
      if (perMonth !== null) await refresh(month);
      const before = standing(month.used + month.open.size, perMonth, monthEnd(at));
      if (month.open.has(id)) return { ...before, allowed: true };
      if (!before.allowed) return before;
      month.open.set(id, null);
      return { ...before, used: before.used + 1 };
    },
    settleRender: async ({ id, accountId, at }, position) => {
      const month = monthFor(accountId, at);
      if (position === null) month.open.delete(id);
      else settle(month, id, position);
    },
    correct: async (fateOf, now) => {
      for (const ends of minutes.keys()) if (ends < oldestMinuteKept(now)) minutes.delete(ends);
      for (const [key, month] of months) {
        for (const [id, position] of month.open) {
          const fate = position ?? (await fateOf(id));
          if (fate === 'never') month.open.delete(id);
          else if (fate !== 'pending') settle(month, id, fate);
        }
        if (month.open.size > 0) await refresh(month);
        else if (month.month < oldestMonthKept(now)) months.delete(key);
      }
    },
    close: async () => undefined,
  };
};
