import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import { runUntilAborted, runWithTimeout } from '#libs/concurrency/timeout.ts';
import { classifyAddress } from './address.ts';
import type { LookupResult } from './dns.ts';
import type { Address } from './resolve.ts';

export type SharedLookupOptions = {
  /** Looks up a name; an abort ends the look-up. */
  lookUp: (key: string, signal: AbortSignal) => Promise<LookupResult>;
  /** For one look-up, in milliseconds. */
  lookupTimeoutMs: number;
  /** Concurrent look-ups for one account, and as many of names that were slow before; further ones wait. */
  maxPerAccount: number;
  /** Monotonic, in milliseconds. */
  now: () => number;
};

type PendingLookup = { result: Promise<Address[]>; waiterCount: number; cancel: () => void };

const lookupAbandoned = new Error('no caller waits for the look-up');
const lookupTimeout = Object.assign(new Error('the name servers did not respond in time'), { code: 'ETIMEOUT' });

const maxCachedNames = 5_000;
const maxCacheMs = 30_000;
/** A name that failed, does not exist or is not public is looked up again after this time. */
const failureCacheMs = 5_000;
/** A look-up that took this time was slow. */
const slowLookupMs = 1_000;
const slowMemoryMs = 10 * 60_000;

const cacheTtlMs = ({ addresses, ttlMs }: LookupResult): number => {
  if (addresses.length === 0) return failureCacheMs;
  return Math.min(
    ttlMs,
    addresses.every(({ address }) => classifyAddress(address) === 'public') ? maxCacheMs : failureCacheMs,
  );
};

/** One queue for each account with a look-up in progress. */
const createAccountQueues = (concurrency: number) => {
  const queues = new Map<string, PQueue>();
  return async <T>(account: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    const queue = queues.get(account) ?? new PQueue({ concurrency });
    queues.set(account, queue);
    try {
      return await queue.add(work, { signal });
    } finally {
      if (queue.size === 0 && queue.pending === 0) queues.delete(account);
    }
  };
};

/**
 * Look-ups for many accounts. Concurrent callers share one look-up of a name. A result is cached for its TTL, at most half a
 * minute, and a failure for a few seconds. Slow names of one account do not delay other accounts, and names that were
 * slow before do not delay other names of the account. A look-up ends when no caller waits for it.
 */
export const createSharedLookups = ({ lookUp, lookupTimeoutMs, maxPerAccount, now }: SharedLookupOptions) => {
  const cache = new LRUCache<string, { addresses: Address[] } | { error: unknown }>({
    max: maxCachedNames,
    ttl: failureCacheMs,
    ttlResolution: 0,
    perf: { now },
  });
  const slowNames = new LRUCache<string, true>({
    max: maxCachedNames,
    ttl: slowMemoryMs,
    ttlResolution: 0,
    perf: { now },
  });
  const pendingLookups = new Map<string, PendingLookup>();
  const inQueue = createAccountQueues(maxPerAccount);

  const start = (key: string): PendingLookup => {
    const control = new AbortController();
    const startedAt = now();
    const isSlow = (): boolean => now() - startedAt >= slowLookupMs;
    // A little shorter than the callers' timeout, so that all callers get the failure and it is cached.
    const result = runWithTimeout(lookupTimeoutMs * 0.8, (signal) => lookUp(key, signal), {
      signal: control.signal,
      createError: () => lookupTimeout,
    }).then(
      (lookup) => {
        const { addresses } = lookup;
        slowNames.delete(key);
        const ttl = cacheTtlMs(lookup);
        // The cache reads a TTL of 0 as no expiry.
        if (ttl > 0) cache.set(key, { addresses }, { ttl });
        return addresses;
      },
      (error: unknown) => {
        if (control.signal.reason !== lookupAbandoned) cache.set(key, { error });
        throw error;
      },
    );
    const lookup: PendingLookup = { result, waiterCount: 0, cancel: () => control.abort(lookupAbandoned) };
    // After the deletion above, so a name stays slow as long as its look-ups are.
    const remove = (): void => {
      if (isSlow()) slowNames.set(key, true);
      if (pendingLookups.get(key) === lookup) pendingLookups.delete(key);
    };
    result.then(remove, remove);
    pendingLookups.set(key, lookup);
    return lookup;
  };

  const join = async (key: string, signal: AbortSignal): Promise<Address[]> => {
    const lookup = pendingLookups.get(key) ?? start(key);
    lookup.waiterCount += 1;
    try {
      return await runUntilAborted(signal, () => lookup.result);
    } finally {
      lookup.waiterCount -= 1;
      if (lookup.waiterCount === 0 && pendingLookups.get(key) === lookup) {
        pendingLookups.delete(key);
        lookup.cancel();
      }
    }
  };

  const cached = (key: string): Address[] | undefined => {
    const entry = cache.get(key);
    if (!entry) return undefined;
    if ('error' in entry) throw entry.error;
    return entry.addresses;
  };

  return async (key: string, account: string, signal: AbortSignal): Promise<Address[]> => {
    const queue = slowNames.has(key) ? `slow ${account}` : account;
    return cached(key) ?? inQueue(queue, async () => cached(key) ?? join(key, signal), signal);
  };
};
