import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import { untilAborted, withTimeout } from '#libs/concurrency/timeout.ts';
import { judgeAddress } from './address.ts';
import type { Found } from './dns.ts';
import type { Address } from './resolve.ts';

export type LookupRules = {
  /** Looks a name up; an abort ends the look-up. */
  lookUp: (key: string, signal: AbortSignal) => Promise<Found>;
  /** For one look-up, in milliseconds. */
  lookupMs: number;
  /** How many look-ups one account may have under way at once; further ones wait. */
  perAccount: number;
  /** Monotonic, in milliseconds. */
  now: () => number;
};

type Answer = { addresses: Address[] } | { error: unknown };
type Lookup = { answer: Promise<Address[]>; waiting: number; stop: () => void };

const givenUp = new Error('no caller waits for the name');
const late = Object.assign(new Error('the name servers did not answer in time'), { code: 'ETIMEOUT' });

const mostKnown = 5_000;
const keptMs = 30_000;
/** What failed, does not exist or is not public is asked again after this time. */
const failureKeptMs = 5_000;

const lifeOf = ({ addresses, ttlMs }: Found): number => {
  if (addresses.length === 0) return failureKeptMs;
  return Math.min(ttlMs, addresses.every(({ address }) => judgeAddress(address) === 'public') ? keptMs : failureKeptMs);
};

/** One queue for each account that has something under way. */
const queues = (concurrency: number) => {
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
export const sharedLookups = ({ lookUp, lookupMs, perAccount, now }: LookupRules) => {
  const answers = new LRUCache<string, Answer>({ max: mostKnown, ttl: failureKeptMs, ttlResolution: 0, perf: { now } });
  const lookups = new Map<string, Lookup>();
  const inQueue = queues(perAccount);

  const start = (key: string): Lookup => {
    const control = new AbortController();
    // A little sooner than those who asked give up, so that the failure is known to all and remembered.
    const answer = withTimeout(lookupMs * 0.8, (signal) => lookUp(key, signal), { signal: control.signal, error: () => late }).then(
      (found) => {
        const { addresses } = found;
        const ttl = lifeOf(found);
        // To the cache a life of 0 has no end.
        if (ttl > 0) answers.set(key, { addresses }, { ttl });
        return addresses;
      },
      (error: unknown) => {
        if (control.signal.reason !== givenUp) answers.set(key, { error });
        throw error;
      },
    );
    const lookup: Lookup = { answer, waiting: 0, stop: () => control.abort(givenUp) };
    const end = (): void => {
      if (lookups.get(key) === lookup) lookups.delete(key);
    };
    answer.then(end, end);
    lookups.set(key, lookup);
    return lookup;
  };

  const join = async (key: string, signal: AbortSignal): Promise<Address[]> => {
    const lookup = lookups.get(key) ?? start(key);
    lookup.waiting += 1;
    try {
      return await untilAborted(signal, () => lookup.answer);
    } finally {
      lookup.waiting -= 1;
      if (lookup.waiting === 0 && lookups.get(key) === lookup) {
        lookups.delete(key);
        lookup.stop();
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
