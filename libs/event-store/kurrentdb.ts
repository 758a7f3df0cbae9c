import { type EventData, WrongExpectedVersionError } from '@kurrent/kurrentdb-client';
import pRetry from 'p-retry';
import { pause } from '#libs/concurrency/pause.ts';
import type { RemoteEngine } from '#libs/engines/remote.ts';
import { parseKurrentDbAddress } from './kurrentdb/address.ts';
import { openKurrentDbConnection } from './kurrentdb/connection.ts';
import { asDriverError, isTemporary, describeKurrentDbError, UnsupportedServerVersion } from './kurrentdb/errors.ts';
import { readAllRequest, readNewestRequest, readStreamRequest } from './kurrentdb/reads.ts';
import { isOwnStream, positionOf, toKurrentDbEvent } from './kurrentdb/event-conversion.ts';
import { newestEventSearch } from './kurrentdb/newest-event.ts';
import { shareSubscription } from './kurrentdb/shared-subscription.ts';
import { subscribeWithRetry } from './kurrentdb/subscription.ts';
import { type EventStore, type RecordedEvent, RevisionConflict } from './port.ts';

/**
 * In milliseconds: the timeout of one attempt, the time limit of an operation with all its retries, normally and while
 * the server is known to be unavailable, the shortest and the longest delay between attempts, and the interval of health
 * checks.
 */
export type KurrentDbOptions = {
  attemptTimeoutMs: number;
  operationTimeoutMs: number;
  unavailableTimeoutMs: number;
  minRetryDelayMs: number;
  maxRetryDelayMs: number;
  checkIntervalMs: number;
};
const defaultKurrentDbOptions: KurrentDbOptions = {
  attemptTimeoutMs: 3_000,
  operationTimeoutMs: 7_000,
  unavailableTimeoutMs: 1_000,
  minRetryDelayMs: 25,
  maxRetryDelayMs: 1_000,
  checkIntervalMs: 1_000,
};

/** Older versions do not return positions for the events of a stream. */
const minServerVersion = [22, 6] as const;

const isSupportedVersion = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > minServerVersion[0] || (major === minServerVersion[0] && minor >= minServerVersion[1]);
};

/**
 * The event log in KurrentDB, or EventStoreDB from 22.6. `url` is the connection string. Returns at once, also if the server
 * is unavailable: then operations fail after `operationTimeoutMs`, subscriptions wait, and `missing` describes the problem.
 * @throws AddressError for an invalid connection string
 */
export const openKurrentDbEventStore = (
  url: string,
  options: KurrentDbOptions = defaultKurrentDbOptions,
): EventStore & RemoteEngine => {
  const { url: connectionString, hosts } = parseKurrentDbAddress(url);
  const connection = openKurrentDbConnection(connectionString, options.attemptTimeoutMs);
  const closing = new AbortController();
  const runningAppends = new Set<Promise<unknown>>();
  let problem: string | null = `KurrentDB at ${hosts} has not responded yet. Check EVENT_STORE_URL if this continues.`;
  let isUnavailable = false;
  let closed: Promise<void> | undefined;

  const check = async (): Promise<void> => {
    try {
      const version = await connection.version();
      if (!isSupportedVersion(version)) throw new UnsupportedServerVersion(version);
      await connection.read(readNewestRequest());
      problem = null;
      isUnavailable = false;
    } catch (error) {
      problem = describeKurrentDbError(asDriverError(error), hosts);
      isUnavailable = !(error instanceof UnsupportedServerVersion);
    }
  };
  const keepChecking = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await check();
      await pause(options.checkIntervalMs, closing.signal, { ref: false });
    }
  };
  void keepChecking();

  const retryOptions = {
    retries: Infinity,
    minTimeout: options.minRetryDelayMs,
    maxTimeout: options.maxRetryDelayMs,
    randomize: true,
  };

  /** Retries while the server is unavailable. All operations can be repeated: KurrentDB recognises a repeated append by its event ids. */
  const withRetry = async <T>(operation: () => Promise<T>): Promise<T> => {
    if (closed) throw new Error('the event store is closed');
    try {
      const result = await pRetry(operation, {
        ...retryOptions,
        maxRetryTime: isUnavailable ? options.unavailableTimeoutMs : options.operationTimeoutMs,
        shouldRetry: ({ error }) => isTemporary(error),
      });
      isUnavailable = false;
      return result;
    } catch (error) {
      if (isTemporary(error as Error)) problem ??= describeKurrentDbError(asDriverError(error), hosts);
      throw error;
    }
  };

  // A frozen server makes what it was sent when it continues, long after the callers were told that it failed.
  const sendAppend = async (...append: Parameters<typeof connection.append>): Promise<bigint> => {
    if (isUnavailable) throw new Error(problem ?? undefined);
    return connection.append(...append);
  };

  const append = async (stream: string, events: EventData[], expected: number): Promise<number> => {
    try {
      return positionOf(await withRetry(() => sendAppend(stream, events, expected)));
    } catch (error) {
      throw error instanceof WrongExpectedVersionError ? new RevisionConflict(stream, expected) : error;
    }
  };

  const head = newestEventSearch((count, before) => withRetry(() => connection.read(readNewestRequest(count, before))));
  const shared = shareSubscription(
    (position, ended) =>
      subscribeWithRetry((after, signal) => connection.subscribe(after, signal), position, ended, options),
    head,
  );

  return {
    append: async (stream, events, expected, blobs = []) => {
      if (blobs.length > 0) throw new RangeError('KurrentDB stores no blobs with events');
      if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`);
      if (!isOwnStream(stream))
        throw new RangeError(`stream ${stream} has no known prefix, so no subscriber would get its events`);
      const data = events.map(toKurrentDbEvent);
      if (expected < -1) throw new RevisionConflict(stream, expected);
      const appended = append(stream, data, expected);
      runningAppends.add(appended);
      try {
        return { revision: expected + events.length, position: await appended };
      } finally {
        runningAppends.delete(appended);
      }
    },
    read: (stream, from = 0, limit?: number) =>
      withRetry(async () => (await connection.read(readStreamRequest(stream, from, limit))).events),
    readAll: async (after, limit) => {
      const events: RecordedEvent[] = [];
      for (let from = after; ;) {
        const last = from;
        const found = await withRetry(() => connection.read(readAllRequest(last, limit + 1)));
        // KurrentDB includes the event at the start position.
        events.push(...found.events.filter(({ position }) => position > last));
        if (events.length >= limit || found.count <= limit) return events.slice(0, limit);
        from = found.end;
      }
    },
    head,
    readCached: (stream) => shared.readCached(stream),
    subscribe: (after, signal) => shared.subscribe(after, AbortSignal.any([signal, closing.signal])),
    close: () => {
      closed ??= (async () => {
        await Promise.allSettled(runningAppends);
        closing.abort();
        await connection.close();
      })();
      return closed;
    },
    missing: () => problem,
  };
};
