import type { LimitStatus, Limits, QuotaLimit, UsageReader } from './port.ts';
import { minuteEnd, monthEnd, monthOf, oldestMinuteKept, oldestMonthKept, limitStatus } from './windows.ts';

/** `open` are counted renders that the usage does not have: the position of their acceptance, null where not known. */
type MemoryQuotaCounter = {
  accountId: string;
  month: string;
  used: number;
  lastPosition: number;
  pendingRenders: Map<string, number | null>;
};

const confirmRender = ({ pendingRenders, lastPosition }: MemoryQuotaCounter, id: string, position: number): void => {
  if (position <= lastPosition) pendingRenders.delete(id);
  else pendingRenders.set(id, position);
};

/**
 * Limits of one process. Requests are counted in memory. The renders of a month are those of the usage read model
 * and those that are on their way into it.
 */
export const openMemoryLimits = (usage: UsageReader): Limits => {
  const minutes = new Map<number, Map<string, number>>();
  const months = new Map<string, MemoryQuotaCounter>();
  let caughtUp: Promise<void> | undefined;

  const monthFor = (accountId: string, at: Date): MemoryQuotaCounter => {
    const key = `${accountId}/${monthOf(at)}`;
    const month = months.get(key) ?? {
      accountId,
      month: monthOf(at),
      used: 0,
      lastPosition: 0,
      pendingRenders: new Map(),
    };
    months.set(key, month);
    return month;
  };

  /** The usage has all that was accepted before this process began. What is accepted later is counted here first. */
  const refresh = async (month: MemoryQuotaCounter): Promise<MemoryQuotaCounter> => {
    await (caughtUp ??= usage.waitUntilCaughtUp().catch((error: unknown) => {
      caughtUp = undefined;
      throw error;
    }));
    const { used, lastPosition } = await usage.usageOf(month.accountId, month.month);
    // Of two looks at once the earlier may be told last.
    if (lastPosition < month.lastPosition) return month;
    Object.assign(month, { used, lastPosition });
    for (const [id, position] of month.pendingRenders) if (position !== null) confirmRender(month, id, position);
    return month;
  };

  const monthStanding = async (accountId: string, { perMonth }: QuotaLimit, now: Date): Promise<LimitStatus> => {
    if (perMonth === null) return limitStatus(0, null, monthEnd(now));
    const { used, pendingRenders } = await refresh(monthFor(accountId, now));
    return limitStatus(used + pendingRenders.size, perMonth, monthEnd(now));
  };
  const minuteStanding = (accountId: string, perMinute: number | null, now: Date): LimitStatus => {
    const resetAt = minuteEnd(now);
    return limitStatus(minutes.get(resetAt.getTime())?.get(accountId) ?? 0, perMinute, resetAt);
  };
  const countRequest = (accountId: string, perMinute: number | null, now: Date): LimitStatus => {
    const before = minuteStanding(accountId, perMinute, now);
    if (!before.allowed) return before;
    const ends = before.resetAt.getTime();
    const counts = minutes.get(ends) ?? new Map<string, number>();
    minutes.set(ends, counts.set(accountId, before.used + 1));
    return { ...before, used: before.used + 1 };
  };

  return {
    countRequest: async (accountId, { perMinute, ...quota }, now) => {
      const minute = countRequest(accountId, perMinute, now);
      return { rateLimit: minute, quota: await monthStanding(accountId, quota, now) };
    },
    readStatus: async (accountId, { perMinute, ...quota }, now) => {
      const minute = minuteStanding(accountId, perMinute, now);
      return { rateLimit: minute, quota: await monthStanding(accountId, quota, now) };
    },
    countRender: async ({ id, accountId, perMonth, at }) => {
      const month = monthFor(accountId, at);
      if (perMonth !== null) await refresh(month);
      const before = limitStatus(month.used + month.pendingRenders.size, perMonth, monthEnd(at));
      if (month.pendingRenders.has(id)) return { ...before, allowed: true };
      if (!before.allowed) return before;
      month.pendingRenders.set(id, null);
      return { ...before, used: before.used + 1 };
    },
    confirmOrReleaseRender: async ({ id, accountId, at }, position) => {
      const month = monthFor(accountId, at);
      if (position === null) month.pendingRenders.delete(id);
      else confirmRender(month, id, position);
    },
    correctCounters: async (fateOf, now) => {
      for (const ends of minutes.keys()) if (ends < oldestMinuteKept(now)) minutes.delete(ends);
      for (const [key, month] of months) {
        for (const [id, position] of month.pendingRenders) {
          const fate = position ?? (await fateOf(id));
          if (fate === 'never') month.pendingRenders.delete(id);
          else if (fate !== 'pending') confirmRender(month, id, fate);
        }
        if (month.pendingRenders.size > 0) await refresh(month);
        else if (month.month < oldestMonthKept(now)) months.delete(key);
      }
    },
    close: async () => undefined,
  };
};
