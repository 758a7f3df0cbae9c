import { type EventData, KurrentDBClient, NO_STREAM, type Position } from '@kurrent/kurrentdb-client';
import type { ReadReq } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import PQueue from 'p-queue';
import { TimeoutError, runWithTimeout } from '#libs/concurrency/timeout.ts';
import { AddressError } from '#libs/engines/remote.ts';
import { asDriverError, needsNewClient } from './errors.ts';
import { catchDiscoveryErrors, closeConnection, readEvents, type ReadResult, readServerVersion } from './reads.ts';
import { openServerSubscription, type ServerSubscription } from './subscription.ts';

/**
 * Operations on the server, with a driver client that is replaced when it fails. Each operation has one attempt. It fails
 * with an error of the driver, or with TimeoutError after the attempt timeout.
 */
export type KurrentDbConnection = {
  /** Returns the position of the last event. */
  append(stream: string, events: EventData[], expected: number): Promise<bigint>;
  read(request: ReadReq): Promise<ReadResult>;
  subscribe(after: Position, signal: AbortSignal): Promise<ServerSubscription>;
  version(): Promise<string>;
  close(): Promise<void>;
};

// All appends share one call. If the call breaks while 16 or more appends wait to be written, the driver (1.3.1) rejects
// promises that the caller cannot catch, which ends the process: `batchAppend` writes in the executor of a promise.
const maxConcurrentAppends = 12;
// The driver sends the deadline of an append as a time of our clock, and the server compares it with its own clock. So this
// deadline allows for a difference of a day; the attempt timeout is enforced here.
const appendDeadlineMs = 24 * 60 * 60 * 1000;

/** The driver reads the files in the address. Its errors contain neither the file names nor the setting. */
const createDriverClient = (url: string): KurrentDBClient => {
  try {
    return KurrentDBClient.connectionString(url);
  } catch (error) {
    throw new AddressError(
      `EVENT_STORE_URL cannot be used: ${(error as Error).message} Check its tlsCAFile, userCertFile and userKeyFile.`,
      { cause: error },
    );
  }
};

/** A driver client. `replaced` aborts when another one replaces it. */
type ClientInstance = { driver: KurrentDBClient; replaced: AbortController };
const createClientInstance = (url: string): ClientInstance => ({
  driver: catchDiscoveryErrors(createDriverClient(url)),
  replaced: new AbortController(),
});
const disposeClientInstance = async ({ driver, replaced }: ClientInstance): Promise<void> => {
  replaced.abort();
  await driver.dispose();
  closeConnection(driver);
};

/** `attemptTimeoutMs` is the time limit of each operation in milliseconds. */
export const openKurrentDbConnection = (url: string, attemptTimeoutMs: number): KurrentDbConnection => {
  let current = createClientInstance(url);
  let lastResponseAt = 0;
  let isClosed = false;
  const appends = new PQueue({ concurrency: maxConcurrentAppends });

  const replace = (failed: ClientInstance): void => {
    if (failed !== current || isClosed) return;
    current = createClientInstance(url);
    disposeClientInstance(failed).catch(() => undefined);
  };
  const recordResponse = <T>(response: T): T => {
    lastResponseAt = performance.now();
    return response;
  };

  /** `always` replaces the client also if the server has responded to other operations in the meantime, so that it is only slow. */
  const attempt = async <T>(
    action: (used: ClientInstance, signal: AbortSignal) => Promise<T>,
    options: { always?: boolean; signal?: AbortSignal } = {},
  ): Promise<T> => {
    const used = current;
    const start = performance.now();
    try {
      return await runWithTimeout(
        attemptTimeoutMs,
        (signal) => action(used, signal),
        options.signal && { signal: options.signal },
      );
    } catch (thrown) {
      if (options.signal?.aborted) throw thrown;
      const error = thrown instanceof TimeoutError ? thrown : asDriverError(thrown);
      if (needsNewClient(error) && (options.always || lastResponseAt < start)) replace(used);
      throw error;
    }
  };

  return {
    append: (stream, events, expected) => {
      const queuedAt = performance.now();
      return appends.add(() => {
        // Otherwise appends would queue up before a frozen server, and be made long after their callers have given up.
        if (performance.now() - queuedAt > attemptTimeoutMs) throw new TimeoutError(attemptTimeoutMs);
        return attempt(
          async ({ driver }) => {
            const streamState = expected < 0 ? NO_STREAM : BigInt(expected);
            const { position } = await driver.appendToStream(stream, events, {
              streamState,
              requiresLeader: true,
              deadline: appendDeadlineMs,
            });
            return recordResponse(position!.prepare);
          },
          // An append that timed out still waits on the call of the client, next to later appends.
          { always: true },
        );
      });
    },
    read: (request) =>
      attempt(async ({ driver }, signal) =>
        recordResponse(await readEvents(driver, request, 2 * attemptTimeoutMs, signal)),
      ),
    subscribe: (after, signal) =>
      attempt(({ driver, replaced }, until) => openServerSubscription(driver, after, until, replaced.signal), {
        signal,
      }),
    // The driver caches the version, so a response does not show that the server is available now.
    version: () => attempt(({ driver }) => readServerVersion(driver)),
    close: async () => {
      isClosed = true;
      await disposeClientInstance(current);
    },
  };
};
