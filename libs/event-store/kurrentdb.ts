import { setTimeout as sleep } from 'node:timers/promises';
import { type EventData, WrongExpectedVersionError } from '@kurrent/kurrentdb-client';
import pRetry from 'p-retry';
import type { Remote } from '#libs/engines/remote.ts';
import { addressOf } from './kurrentdb/address.ts';
import { openClient } from './kurrentdb/client.ts';
import { asDriverError, isTemporary, sentenceOf, TooOld } from './kurrentdb/errors.ts';
import { readForwards, readNewest, readStream } from './kurrentdb/reads.ts';
import { isOwnStream, positionOf, toKurrent } from './kurrentdb/records.ts';
import { shareSubscription } from './kurrentdb/shared-subscription.ts';
import { follow } from './kurrentdb/subscription.ts';
import { type EventStore, RevisionConflict } from './port.ts';

/**
 * In milliseconds: how long one attempt waits for an answer, how long an operation is tried altogether, the pauses between attempts, and
 * how often the server is asked whether it serves.
 */
export type KurrentDbTimes = { attemptMs: number; patienceMs: number; firstPauseMs: number; longestPauseMs: number; watchMs: number };
const usualTimes: KurrentDbTimes = { attemptMs: 3_000, patienceMs: 7_000, firstPauseMs: 25, longestPauseMs: 1_000, watchMs: 1_000 };

/** Since this version a stream's events come with their positions. */
const oldestVersion = [22, 6] as const;

const isOldEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
};

/**
 * The event log in KurrentDB, or EventStoreDB since 22.6. `url` is its connection string. Returns at once, whether the server is there or
 * not: operations on a server that is away fail after a while, subscriptions wait, and `missing` tells what is wrong.
 * @throws AddressError where the connection string is none
 */
export const openKurrentDbEventStore = (url: string, times: KurrentDbTimes = usualTimes): EventStore & Remote => {
  const { url: connectionString, where } = addressOf(url);
  const client = openClient(connectionString, times.attemptMs);
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let missing: string | null = `KurrentDB at ${where} has not answered yet. Look at EVENT_STORE_URL if this stays.`;
  let closed: Promise<void> | undefined;

  const check = async (): Promise<void> => {
    try {
      const version = await client.version();
      if (!isOldEnough(version)) throw new TooOld(version);
      await client.read(readNewest());
      missing = null;
    } catch (error) {
      missing = sentenceOf(asDriverError(error), where);
    }
  };
  const keepChecking = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await check();
      await sleep(times.watchMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  };
  void keepChecking();

  const retrying = { retries: Infinity, minTimeout: times.firstPauseMs, maxTimeout: times.longestPauseMs, randomize: true, maxRetryTime: times.patienceMs };

  /** Tries again while the server is away. Every operation may be repeated: KurrentDB knows a repeated append by its events. */
  const withRetry = async <T>(operation: () => Promise<T>): Promise<T> => {
    if (closed) throw new Error('the event store is closed');
    try {
      return await pRetry(operation, { ...retrying, shouldRetry: ({ error }) => isTemporary(error) });
    } catch (error) {
      if (isTemporary(error as Error)) missing = sentenceOf(asDriverError(error), where);
      throw error;
    }
  };

  const append = async (stream: string, events: EventData[], expected: number): Promise<number> => {
    try {
      return positionOf(await withRetry(() => client.append(stream, events, expected)));
    } catch (error) {
      throw error instanceof WrongExpectedVersionError ? new RevisionConflict(stream, expected) : error;
    }
  };

  const head = async (): Promise<number> => (await withRetry(() => client.read(readNewest()))).at(0)?.position ?? 0;
  const shared = shareSubscription((position, ended) => follow((after, signal) => client.subscribe(after, signal), position, ended, times), head);

  return {
    append: async (stream, events, expected) => {
      if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`);
      if (!isOwnStream(stream)) throw new RangeError(`stream ${stream} is of no known kind; no subscriber would see it`);
      const data = events.map(toKurrent);
      if (expected < -1) throw new RevisionConflict(stream, expected);
      const appended = append(stream, data, expected);
      underWay.add(appended);
      try {
        return { revision: expected + events.length, position: await appended };
      } finally {
        underWay.delete(appended);
      }
    },
    read: (stream, from = 0) => withRetry(() => client.read(readStream(stream, from))),
    readAll: async (after, limit) => {
      // The event at a position is itself the first that is read from it.
      const events = await withRetry(() => client.read(readForwards(after, limit + 1)));
      return events.filter(({ position }) => position > after).slice(0, limit);
    },
    head,
    recent: (stream) => shared.recent(stream),
    subscribe: (after, signal) => shared.follow(after, AbortSignal.any([signal, closing.signal])),
    close: () => {
      closed ??= (async () => {
        await Promise.allSettled(underWay);
        closing.abort();
        await client.close();
      })();
      return closed;
    },
    missing: () => missing,
  };
};
