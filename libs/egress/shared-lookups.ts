import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import { runUntilAborted, runWithTimeout } from '#libs/concurrency/timeout.ts';
import { classifyAddress } from './address.ts';
import type { LookupResult } from './dns.ts';
import type { Address } from './resolve.ts';

export type SharedLookupOptions = {
  /** Looks a name up; an abort ends the look-up. */
  lookUp: (key: string, signal: AbortSignal) => Promise<LookupResult>;
  /** For one look-up, in milliseconds. */
  lookupTimeoutMs: number;
  /** How many look-ups one account may have under way at once; further ones wait. */
  maxPerAccount: number;
  /** Monotonic, in milliseconds. */
  now: () => number;
};

type CachedLookup = { addresses: Address[] } | { error: unknown };
type PendingLookup = { result: Promise<Address[]>; waiterCount: number; cancel: () => void };

const lookupAbandoned = new Error('no caller waits for the name');
const lookupTimeout = Object.assign(new Error('the name servers did not answer in time'), { code: 'ETIMEOUT' });

const maxCachedNames = 5_000;
const maxCacheMs = 30_000;
/** What failed, does not exist or is not public is asked again after this time. */
const failureCacheMs = 5_000;

const cacheTtlMs = ({ addresses, ttlMs }: LookupResult): number => {
  if (addresses.length === 0) return failureCacheMs;
  return Math.min(
    ttlMs,
    addresses.every(({ address }) => classifyAddress(address) === 'public') ? maxCacheMs : failureCacheMs,
  );
};

/** One queue for each account that has something under way. */
const createAccountQueues = (concurrency: number) => {
  const open = new Map<string, PQueue>();
  return async <T>(account: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    const queue = open.get(account) ?? new PQueue({ concurrency });
    open.set(account, queue);
    try {
      return await queue.add(work, { signal });
    } finally {
      if (queue.size === 0 && queue.pending === 0) open.delete(account);
    }
  };
};

/**
 * Look-ups for many accounts. A name is looked up once for all who ask at the same time. Its answer is kept for as long as its TTL allows,
 * half a minute at most, and a failure for a few seconds. One account's slow names hold up no other account. A look-up ends when no
 * caller waits for it.
 */
export const createSharedLookups = ({ lookUp, lookupTimeoutMs, maxPerAccount, now }: SharedLookupOptions) => {
  const answers = new LRUCache<string, CachedLookup>({
    max: maxCachedNames,
    ttl: failureCacheMs,
    ttlResolution: 0,
    perf: { now },
  });
  const lookups = new Map<string, PendingLookup>();
  const inQueue = createAccountQueues(maxPerAccount);

  const start = (key: string): PendingLookup => {
    const control = new AbortController();
    // A little sooner than those who asked give up, so that the failure is known to all and remembered.
    const answer = runWithTimeout(lookupTimeoutMs * 0.8, (signal) => lookUp(key, signal), {
      signal: control.signal,
      createError: () => lookupTimeout,
    }).then(
      (found) => {
        const { addresses } = found;
        const ttl = cacheTtlMs(found);
        // To the cache a life of 0 has no end.
        if (ttl > 0) answers.set(key, { addresses }, { ttl });
        return addresses;
      },
      (error: unknown) => {
        if (control.signal.reason !== lookupAbandoned) answers.set(key, { error });
        throw error;
      },
    );
    const lookup: PendingLookup = { result: answer, waiterCount: 0, cancel: () => control.abort(lookupAbandoned) };
    const end = (): void => {
      if (lookups.get(key) === lookup) lookups.delete(key);
    };
    answer.then(end, end);
    lookups.set(key, lookup);
    return lookup;
  };

  const join = async (key: string, signal: AbortSignal): Promise<Address[]> => {
    const lookup = lookups.get(key) ?? start(key);
    lookup.waiterCount += 1;
    try {
      return await runUntilAborted(signal, () => lookup.result);
    } finally {
      lookup.waiterCount -= 1;
      if (lookup.waiterCount === 0 && lookups.get(key) === lookup) {
        lookups.delete(key);
        lookup.cancel();
      }
    }
  };

  const known = (key: string): Address[] | undefined => {
    const answer = answers.get(key);
    if (!answer) return undefined;
    if ('error' in answer) throw answer.error;
    return answer.addresses;
  };

  return async (key: string, account: string, signal: AbortSignal): Promise<Address[]> =>
    known(key) ?? inQueue(account, async () => known(key) ?? join(key, signal), signal);
};
