import { correctEach } from './correct-each.ts';
import type { LimitStatus, Limits, QuotaLimit, UsageReader } from './port.ts';
import { minuteEnd, monthEnd, monthOf, oldestMinuteKept, oldestMonthKept, limitStatus } from './windows.ts';

/**
 * `pendingRenders` are counted renders that are not in `used` yet, with the position at which each was accepted, null if
 * unknown, and how many renders it counts as. `pending` is their sum: an account without a quota may have many.
 */
type MemoryQuotaCounter = {
  accountId: string;
  month: string;
  used: number;
  lastPosition: number;
  pendingRenders: Map<string, PendingRender>;
  pending: number;
};
type PendingRender = { position: number | null; renders: number };

const countOf = ({ used, pending }: MemoryQuotaCounter): number => used + pending;

const setPending = (counter: MemoryQuotaCounter, id: string, render: PendingRender | null): void => {
  const { pendingRenders } = counter;
  counter.pending += (render?.renders ?? 0) - (pendingRenders.get(id)?.renders ?? 0);
  if (render) pendingRenders.set(id, render);
  else pendingRenders.delete(id);
};

const confirmRender = (counter: MemoryQuotaCounter, id: string, position: number): void =>
  setPending(
    counter,
    id,
    position <= counter.lastPosition ? null : { position, renders: counter.pendingRenders.get(id)?.renders ?? 1 },
  );

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
      pending: 0,
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
    // Of two parallel reads, the older result may arrive last. Each change moves the position.
    if (lastPosition <= counter.lastPosition) return counter;
    Object.assign(counter, { used, lastPosition });
    for (const [id, { position }] of counter.pendingRenders)
      if (position !== null) confirmRender(counter, id, position);
    return counter;
  };

  const quotaStatus = async (accountId: string, { perMonth }: QuotaLimit, now: Date): Promise<LimitStatus> => {
    if (perMonth === null) return limitStatus(0, null, monthEnd(now));
    return limitStatus(countOf(await refresh(quotaCounterFor(accountId, now))), perMonth, monthEnd(now));
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
    countRender: async ({ id, accountId, perMonth, at, renders = 1 }) => {
      const counter = quotaCounterFor(accountId, at);
      if (perMonth !== null) await refresh(counter);
      const before = limitStatus(countOf(counter), perMonth, monthEnd(at));
      if (counter.pendingRenders.has(id)) return { ...before, allowed: true };
      if (perMonth !== null && before.used + renders > perMonth) return { ...before, allowed: false };
      setPending(counter, id, { position: null, renders });
      return { ...before, used: before.used + renders };
    },
    confirmOrReleaseRender: async ({ id, accountId, at }, position) => {
      const counter = quotaCounterFor(accountId, at);
      if (position === null) setPending(counter, id, null);
      else confirmRender(counter, id, position);
    },
    correctCounters: async (outcomeOf, now) => {
      for (const endsAt of requestCounts.keys()) if (endsAt < oldestMinuteKept(now)) requestCounts.delete(endsAt);
      await correctEach(quotaCounters, async ([key, counter]) => {
        for (const [id, { position }] of counter.pendingRenders) {
          const outcome = position ?? (await outcomeOf(id));
          if (outcome === 'never') setPending(counter, id, null);
          else if (outcome !== 'pending') confirmRender(counter, id, outcome);
        }
        if (counter.pendingRenders.size > 0) await refresh(counter);
        else if (counter.month < oldestMonthKept(now)) quotaCounters.delete(key);
      });
    },
    close: async () => undefined,
  };
};
