import { type EventData, WrongExpectedVersionError } from '@kurrent/kurrentdb-client';
import type { ReadReq } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import pRetry from 'p-retry';
import { addressOf } from './kurrentdb/address.ts';
import type { Remote } from '#libs/engines/remote.ts';
import { openConnection } from './kurrentdb/connection.ts';
import { asDriverError, isPassing, sentenceOf, TooOld } from './kurrentdb/failure.ts';
import { follow } from './kurrentdb/following.ts';
import { fromKurrent, positionOf, toKurrent } from './kurrentdb/records.ts';
import { isOurs, placeOf, readForwards, readNewest, readStream } from './kurrentdb/requests.ts';
import { openShared } from './kurrentdb/shared.ts';
import { openWatch } from './kurrentdb/watch.ts';
import { type EventStore, type RecordedEvent, RevisionConflict } from './port.ts';

/** In milliseconds: how long an answer is waited for, how long an operation is tried altogether, the pauses in between, and how often the server is asked whether it serves. */
export type KurrentDbTimes = { attemptMs: number; patienceMs: number; firstPauseMs: number; longestPauseMs: number; watchMs: number };
const usualTimes: KurrentDbTimes = { attemptMs: 3_000, patienceMs: 7_000, firstPauseMs: 25, longestPauseMs: 1_000, watchMs: 1_000 };

/** Since this version a stream's events come with their positions. */
const oldestVersion = [22, 6] as const;

const isOldEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
};

/**
 * The log in KurrentDB, or EventStoreDB since 22.6. `url` is its connection string. Answers at once, whether the server is there or not: operations on one that is away
 * fail after a while, subscriptions wait, and `missing` tells what is wrong.
 * @throws AddressError where the connection string is none
 */
export const openKurrentDbEventStore = (url: string, times: KurrentDbTimes = usualTimes): EventStore & Remote => {
  const { url: connectionString, where } = addressOf(url);
  const connection = openConnection(connectionString, times.attemptMs);
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  const probe = async (): Promise<void> => {
    const version = await connection.version();
    if (!isOldEnough(version)) throw new TooOld(version);
    await connection.read(readNewest());
  };
  const meaningOf = (error: unknown): string => sentenceOf(asDriverError(error), where);
  const watch = openWatch(probe, meaningOf, times.watchMs, closing.signal, `KurrentDB at ${where} has not answered yet. Look at EVENT_STORE_URL if this stays.`);

  const patience = { retries: Infinity, minTimeout: times.firstPauseMs, maxTimeout: times.longestPauseMs, randomize: true, maxRetryTime: times.patienceMs };

  /** Tries again while the server is away. Every operation may be repeated: appends are known by their events. */
  const patiently = async <T>(operation: () => Promise<T>): Promise<T> => {
    if (closed) throw new Error('the event store is closed');
    try {
      return await pRetry(operation, { ...patience, shouldRetry: ({ error }) => isPassing(error) });
    } catch (error) {
      if (error instanceof WrongExpectedVersionError || !isPassing(error as Error)) throw error;
      watch.failed(meaningOf(error));
      throw error;
    }
  };

  const readEvents = async (request: ReadReq): Promise<RecordedEvent[]> => {
    const responses = await patiently(() => connection.read(request));
    return responses.flatMap((response) => {
      const recorded = response.getEvent()?.getEvent();
      return (recorded && fromKurrent(recorded)) ?? [];
    });
  };

  /** The position of the last of these events where all of them already stand right after `expected`. */
  const alreadyAppended = async (stream: string, ids: readonly string[], expected: number): Promise<number | undefined> => {
    const stored = await readEvents(readStream(stream, expected + 1, ids.length));
    return ids.every((id, index) => stored[index]?.id === id) ? stored.at(-1)!.position : undefined;
  };

  const append = async (stream: string, events: readonly EventData[], ids: readonly string[], expected: number): Promise<number> => {
    try {
      const position = await patiently(() => connection.append(stream, [...events], expected));
      if (position !== undefined) return positionOf(position);
    } catch (error) {
      if (!(error instanceof WrongExpectedVersionError)) throw error;
    }
    const position = await alreadyAppended(stream, ids, expected);
    if (position === undefined) throw new RevisionConflict(stream, expected);
    return position;
  };

  const head = async (): Promise<number> => (await readEvents(readNewest())).at(0)?.position ?? 0;
  const shared = openShared((position, ended) => follow(connection, position, ended, times), head);

  return {
    append: async (stream, events, expected) => {
      if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`);
      if (!isOurs(stream)) throw new RangeError(`stream ${stream} is of no kind that is known; nobody who follows the log would see it`);
      const kept = events.map(toKurrent);
      if (expected < -1) throw new RevisionConflict(stream, expected);
      const appended = append(stream, kept, events.map(({ id }) => id), expected);
      underWay.add(appended);
      try {
        return { revision: expected + events.length, position: await appended };
      } finally {
        underWay.delete(appended);
      }
    },
    read: (stream, from = 0) => readEvents(readStream(stream, from)),
    readAll: async (after, limit) => {
      // A position is itself the first place that is read from it.
      const events = await readEvents(readForwards(placeOf(after), limit + 1));
      return events.filter(({ position }) => position > after).slice(0, limit);
    },
    head,
    heard: (stream) => shared.heard(stream),
    subscribe: (after, signal) => shared.follow(after, AbortSignal.any([signal, closing.signal])),
    close: () => {
      closed ??= (async () => {
        await Promise.allSettled(underWay);
        closing.abort();
        await connection.close();
      })();
      return closed;
    },
    missing: () => watch.missing(),
  };
};
