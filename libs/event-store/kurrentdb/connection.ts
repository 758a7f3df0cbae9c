import { type EventData, KurrentDBClient, NO_STREAM, type Position } from '@kurrent/kurrentdb-client';
import type { ReadReq } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import PQueue from 'p-queue';
import { TimeoutError, runWithTimeout } from '#libs/concurrency/timeout.ts';
import { AddressError } from '#libs/engines/remote.ts';
import type { RecordedEvent } from '../port.ts';
import { asDriverError, needsNewClient } from './errors.ts';
import { closeConnection, readEvents, readServerVersion } from './reads.ts';
import { openServerSubscription, type ServerSubscription } from './subscription.ts';

/**
 * Operations on the server over one client of the driver after the other. Each is tried once, and fails with an error of the driver's
 * kinds, or with TimeoutError after `attemptMs`.
 */
export type KurrentDbConnection = {
  /** The position of the last event. */
  append(stream: string, events: EventData[], expected: number): Promise<bigint>;
  read(request: ReadReq): Promise<RecordedEvent[]>;
  subscribe(after: Position, signal: AbortSignal): Promise<ServerSubscription>;
  version(): Promise<string>;
  close(): Promise<void>;
};

// All appends share one call. Where it breaks while sixteen or more of them wait to be written, the driver (1.3.1) rejects promises
// that the caller cannot catch, which ends the process: `batchAppend` writes within the executor of a promise.
const maxConcurrentAppends = 12;
// The driver tells the server the time of day until which an append may take by our clock, and the server refuses one whose time is over
// by its own. The limit of the attempt is kept here, and the clocks may differ by a day.
const appendDeadlineMs = 24 * 60 * 60 * 1000;

/** The driver reads the files that the address names. Its errors hold neither their names nor the setting. */
const createDriverClient = (url: string): KurrentDBClient => {
  try {
    return KurrentDBClient.connectionString(url);
  } catch (error) {
    throw new AddressError(
      `EVENT_STORE_URL cannot be used: ${(error as Error).message} Look at tlsCAFile, userCertFile and userKeyFile in it.`,
      { cause: error },
    );
  }
};

/** A client of the driver, and what aborts when another takes its place. */
type ClientInstance = { driver: KurrentDBClient; replaced: AbortController };
const createClientInstance = (url: string): ClientInstance => ({
  driver: createDriverClient(url),
  replaced: new AbortController(),
});
const disposeClientInstance = async ({ driver, replaced }: ClientInstance): Promise<void> => {
  replaced.abort();
  await driver.dispose();
  closeConnection(driver);
};

/** `attemptMs` is how long each operation may take, in milliseconds. */
export const openKurrentDbConnection = (url: string, attemptMs: number): KurrentDbConnection => {
  let generation = createClientInstance(url);
  let answeredAt = 0;
  let isClosed = false;
  const appends = new PQueue({ concurrency: maxConcurrentAppends });

  const replace = (failed: ClientInstance): void => {
    if (failed !== generation || isClosed) return;
    generation = createClientInstance(url);
    disposeClientInstance(failed).catch(() => undefined);
  };
  const answered = <T>(answer: T): T => {
    answeredAt = performance.now();
    return answer;
  };

  /** `always` replaces the client also where the server has answered other operations meanwhile, and is slow rather than gone. */
  const attempt = async <T>(
    action: (used: ClientInstance, signal: AbortSignal) => Promise<T>,
    options: { always?: boolean; signal?: AbortSignal } = {},
  ): Promise<T> => {
    const used = generation;
    const begun = performance.now();
    try {
      return await runWithTimeout(
        attemptMs,
        (signal) => action(used, signal),
        options.signal && { signal: options.signal },
      );
    } catch (thrown) {
      if (options.signal?.aborted) throw thrown;
      const error = thrown instanceof TimeoutError ? thrown : asDriverError(thrown);
      if (needsNewClient(error) && (options.always || answeredAt < begun)) replace(used);
      throw error;
    }
  };

  return {
    append: (stream, events, expected) =>
      appends.add(() =>
        attempt(
          async ({ driver }) => {
            const streamState = expected < 0 ? NO_STREAM : BigInt(expected);
            const { position } = await driver.appendToStream(stream, events, {
              streamState,
              requiresLeader: true,
              deadline: appendDeadlineMs,
            });
            return answered(position!.prepare);
          },
          // An append that was given up still waits on the call of the client, beside those to come.
          { always: true },
        ),
      ),
    read: (request) =>
      attempt(async ({ driver }, signal) => answered(await readEvents(driver, request, 2 * attemptMs, signal))),
    subscribe: (after, signal) =>
      attempt(({ driver, replaced }, until) => openServerSubscription(driver, after, until, replaced.signal), {
        signal,
      }),
    // The driver remembers what the server said, so that an answer tells nothing of how the server is now.
    version: () => attempt(({ driver }) => readServerVersion(driver)),
    close: async () => {
      isClosed = true;
      await disposeClientInstance(generation);
    },
  };
};
