import { LRUCache } from 'lru-cache';
import { maxStartDelayMs } from '#libs/domain/delivery.ts';

/** Spreads the redeliveries of an account to one receiver over time, so that neither it nor a neighbour is flooded. */
export type RedeliveryPace = {
  /** When the next redelivery starts; null if that would be more than a minute from now. */
  next(accountId: string, host: string, now: Date): Date | null;
};

/** How many redeliveries to one receiver start in a second. */
export const redeliveriesPerSecond = 20;
const intervalMs = 1_000 / redeliveriesPerSecond;
const maxReceivers = 10_000;

/** Each process has its own pace. */
export const createRedeliveryPace = (): RedeliveryPace => {
  const nextStart = new LRUCache<string, number>({ max: maxReceivers });
  return {
    next: (accountId, host, now) => {
      const key = `${accountId}\n${host}`;
      const planned = nextStart.get(key) ?? 0;
      // After the clock was set back, planned times do not count.
      const wasSetBack = planned > now.getTime() + maxStartDelayMs + intervalMs;
      const start = wasSetBack ? now.getTime() : Math.max(now.getTime(), planned);
      if (start > now.getTime() + maxStartDelayMs) return null;
      nextStart.set(key, start + intervalMs);
      return new Date(start);
    },
  };
};
