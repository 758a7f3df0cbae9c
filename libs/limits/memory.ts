import type { LimitStatus, Limits, QuotaLimit, UsageReader } from './port.ts';
import { minuteEnd, monthEnd, monthOf, oldestMinuteKept, oldestMonthKept, limitStatus } from './windows.ts';

/** `pendingRenders` are counted renders that are not in `used` yet, with the position at which each was accepted; null if unknown. */
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
 * Limits of one process. Requests are counted in memory. The renders of a month are those in the usage read model
 * plus the pending ones.
 */
export const openMemoryLimits = (usage: UsageReader): Limits => {
  const requestCounts = new Map<number, Map<string, number>>();
  const quotaCounters = new Map<string, MemoryQuotaCounter>();
  let caughtUp: Promise<void> | undefined;

  const quotaCounterFor = (accountId: string, at: Date): MemoryQuotaCounter => {
    const key = `${accountId}/${monthOf(at)}`;
    const counter = quotaCounters.get(key) ?? {
      accountId,
      month: monthOf(at),
      used: 0,
      lastPosition: 0,
      pendingRenders: new Map(),
    };
    quotaCounters.set(key, counter);
    return counter;
  };

  /** The read model contains every render that was accepted before this process started. Later renders are counted here first. */
  const refresh = async (counter: MemoryQuotaCounter): Promise<MemoryQuotaCounter> => {
    await (caughtUp ??= usage.waitUntilCaughtUp().catch((error: unknown) => {
      caughtUp = undefined;
      throw error;
    }));
    const { used, lastPosition } = await usage.usageOf(counter.accountId, counter.month);
    // Of two parallel reads, the older result may arrive last.
    if (lastPosition < counter.lastPosition) return counter;
    Object.assign(counter, { used, lastPosition });
    for (const [id, position] of counter.pendingRenders) if (position !== null) confirmRender(counter, id, position);
    return counter;
  };

  const quotaStatus = async (accountId: string, { perMonth }: QuotaLimit, now: Date): Promise<LimitStatus> => {
    if (perMonth === null) return limitStatus(0, null, monthEnd(now));
    const { used, pendingRenders } = await refresh(quotaCounterFor(accountId, now));
    return limitStatus(used + pendingRenders.size, perMonth, monthEnd(now));
  };
  const rateLimitStatus = (accountId: string, perMinute: number | null, now: Date): LimitStatus => {
    const resetAt = minuteEnd(now);
    return limitStatus(requestCounts.get(resetAt.getTime())?.get(accountId) ?? 0, perMinute, resetAt);
  };
  const countRequest = (accountId: string, perMinute: number | null, now: Date): LimitStatus => {
    const before = rateLimitStatus(accountId, perMinute, now);
    if (!before.allowed) return before;
    const endsAt = before.resetAt.getTime();
    const counts = requestCounts.get(endsAt) ?? new Map<string, number>();
    requestCounts.set(endsAt, counts.set(accountId, before.used + 1));
    return { ...before, used: before.used + 1 };
  };

  return {
    countRequest: async (accountId, { perMinute, ...quotaLimit }, now) => {
      const rateLimit = countRequest(accountId, perMinute, now);
      return { rateLimit, quota: await quotaStatus(accountId, quotaLimit, now) };
    },
    readStatus: async (accountId, { perMinute, ...quotaLimit }, now) => {
      const rateLimit = rateLimitStatus(accountId, perMinute, now);
      return { rateLimit, quota: await quotaStatus(accountId, quotaLimit, now) };
    },
    countRender: async ({ id, accountId, perMonth, at }) => {
      const counter = quotaCounterFor(accountId, at);
      if (perMonth !== null) await refresh(counter);
      const before = limitStatus(counter.used + counter.pendingRenders.size, perMonth, monthEnd(at));
      if (counter.pendingRenders.has(id)) return { ...before, allowed: true };
      if (!before.allowed) return before;
      counter.pendingRenders.set(id, null);
      return { ...before, used: before.used + 1 };
    },
    confirmOrReleaseRender: async ({ id, accountId, at }, position) => {
      const counter = quotaCounterFor(accountId, at);
      if (position === null) counter.pendingRenders.delete(id);
      else confirmRender(counter, id, position);
    },
    correctCounters: async (outcomeOf, now) => {
      for (const endsAt of requestCounts.keys()) if (endsAt < oldestMinuteKept(now)) requestCounts.delete(endsAt);
      for (const [key, counter] of quotaCounters) {
        for (const [id, position] of counter.pendingRenders) {
          const outcome = position ?? (await outcomeOf(id));
          if (outcome === 'never') counter.pendingRenders.delete(id);
          else if (outcome !== 'pending') confirmRender(counter, id, outcome);
        }
        if (counter.pendingRenders.size > 0) await refresh(counter);
        else if (counter.month < oldestMonthKept(now)) quotaCounters.delete(key);
      }
    },
    close: async () => undefined,
  };
};
