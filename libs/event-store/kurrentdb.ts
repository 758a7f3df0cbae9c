import { setTimeout as sleep } from 'node:timers/promises';
import { type EventData, WrongExpectedVersionError } from '@kurrent/kurrentdb-client';
import pRetry from 'p-retry';
import type { RemoteEngine } from '#libs/engines/remote.ts';
import { parseKurrentDbAddress } from './kurrentdb/address.ts';
import { openKurrentDbConnection } from './kurrentdb/connection.ts';
import { asDriverError, isTemporary, describeKurrentDbError, UnsupportedServerVersion } from './kurrentdb/errors.ts';
import { readAllRequest, readNewestRequest, readStreamRequest } from './kurrentdb/reads.ts';
import { isOwnStream, positionOf, toKurrentDbEvent } from './kurrentdb/event-conversion.ts';
import { shareSubscription } from './kurrentdb/shared-subscription.ts';
import { subscribeWithRetry } from './kurrentdb/subscription.ts';
import { type EventStore, RevisionConflict } from './port.ts';

/**
 * In milliseconds: how long one attempt waits for an answer, how long an operation is tried altogether, the pauses between attempts, and
 * how often the server is asked whether it serves.
 */
export type KurrentDbOptions = {
  attemptTimeoutMs: number;
  operationTimeoutMs: number;
  minRetryDelayMs: number;
  maxRetryDelayMs: number;
  checkIntervalMs: number;
};
const defaultKurrentDbOptions: KurrentDbOptions = {
  attemptTimeoutMs: 3_000,
  operationTimeoutMs: 7_000,
  minRetryDelayMs: 25,
  maxRetryDelayMs: 1_000,
  checkIntervalMs: 1_000,
};

/** Since this version a stream's events come with their positions. */
const minServerVersion = [22, 6] as const;

const isSupportedVersion = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > minServerVersion[0] || (major === minServerVersion[0] && minor >= minServerVersion[1]);
};

/**
 * The event log in KurrentDB, or EventStoreDB since 22.6. `url` is its connection string. Returns at once, whether the server is there or
 * not: operations on a server that is away fail after a while, subscriptions wait, and `missing` tells what is wrong.
 * @throws AddressError where the connection string is none
 */
export const openKurrentDbEventStore = (
  url: string,
  times: KurrentDbOptions = defaultKurrentDbOptions,
): EventStore & RemoteEngine => {
  const { url: connectionString, hosts } = parseKurrentDbAddress(url);
  const client = openKurrentDbConnection(connectionString, times.attemptTimeoutMs);
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let missing: string | null = `KurrentDB at ${hosts} has not answered yet. Look at EVENT_STORE_URL if this stays.`;
  let closed: Promise<void> | undefined;

  const check = async (): Promise<void> => {
    try {
      const version = await client.version();
      if (!isSupportedVersion(version)) throw new UnsupportedServerVersion(version);
      await client.read(readNewestRequest());
      missing = null;
    } catch (error) {
      missing = describeKurrentDbError(asDriverError(error), hosts);
    }
  };
  const keepChecking = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await check();
      await sleep(times.checkIntervalMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  };
  void keepChecking();

  const retrying = {
    retries: Infinity,
    minTimeout: times.minRetryDelayMs,
    maxTimeout: times.maxRetryDelayMs,
    randomize: true,
    maxRetryTime: times.operationTimeoutMs,
  };

  /** Tries again while the server is away. Every operation may be repeated: KurrentDB knows a repeated append by its events. */
  const withRetry = async <T>(operation: () => Promise<T>): Promise<T> => {
    if (closed) throw new Error('the event store is closed');
    try {
      return await pRetry(operation, { ...retrying, shouldRetry: ({ error }) => isTemporary(error) });
    } catch (error) {
      if (isTemporary(error as Error)) missing = describeKurrentDbError(asDriverError(error), hosts);
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

  const head = async (): Promise<number> =>
    (await withRetry(() => client.read(readNewestRequest()))).at(0)?.position ?? 0;
  const shared = shareSubscription(
    (position, ended) => subscribeWithRetry((after, signal) => client.subscribe(after, signal), position, ended, times),
    head,
  );

  return {
    append: async (stream, events, expected) => {
      if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`);
      if (!isOwnStream(stream))
        throw new RangeError(`stream ${stream} is of no known kind; no subscriber would see it`);
      const data = events.map(toKurrentDbEvent);
      if (expected < -1) throw new RevisionConflict(stream, expected);
      const appended = append(stream, data, expected);
      underWay.add(appended);
      try {
        return { revision: expected + events.length, position: await appended };
      } finally {
        underWay.delete(appended);
      }
    },
    read: (stream, from = 0) => withRetry(() => client.read(readStreamRequest(stream, from))),
    readAll: async (after, limit) => {
      // The event at a position is itself the first that is read from it.
      const events = await withRetry(() => client.read(readAllRequest(after, limit + 1)));
      return events.filter(({ position }) => position > after).slice(0, limit);
    },
    head,
    readCached: (stream) => shared.readCached(stream),
    subscribe: (after, signal) => shared.subscribe(after, AbortSignal.any([signal, closing.signal])),
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
