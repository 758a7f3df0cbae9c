import { setTimeout as sleep } from 'node:timers/promises';
import { createInbox, type NatsConnection } from '@nats-io/transport-node';
import PQueue from 'p-queue';
import pRetry from 'p-retry';
import { isNoRespondersError } from '#libs/nats/no-responders.ts';
import type { Chunks } from './reply-codec.ts';

// The receiver sets the pace: the server disconnects a client that reads more slowly than it is sent to.
const fetchConcurrency = 4;
const requestTimeoutMs = 2_000;
/** A receiver that has fetched nothing for this time is gone. */
const idleTimeoutMs = 5_000;
/** After all chunks were fetched once, other receivers may still fetch them. */
const lingerMs = 500;
const checkIntervalMs = 100;

const retryRequest = <T>(request: () => Promise<T>): Promise<T> =>
  pRetry(request, { retries: 4, minTimeout: 100, shouldRetry: ({ error }) => !isNoRespondersError(error) });

/**
 * Serves the bytes in chunks of `chunkBytes` bytes. Resolves when the receivers have fetched them, or when none
 * fetches. `announce` sends the place of the chunks to the receivers and fails when none listens.
 */
export const serveChunks = async (
  connection: NatsConnection,
  bytes: Uint8Array,
  chunkBytes: number,
  announce: (chunks: Chunks) => Promise<unknown>,
): Promise<void> => {
  const subjectPrefix = createInbox();
  const count = Math.ceil(bytes.byteLength / chunkBytes);
  const unfetched = new Set(Array.from({ length: count }, (_, number) => number));
  let lastFetchAt = performance.now();
  const subscription = connection.subscribe(`${subjectPrefix}.*`, {
    callback: (error, message) => {
      if (error) return;
      const number = Number(message.subject.slice(subjectPrefix.length + 1));
      lastFetchAt = performance.now();
      unfetched.delete(number);
      message.respond(bytes.subarray(number * chunkBytes, (number + 1) * chunkBytes));
    },
  });
  const isDone = (): boolean =>
    connection.isClosed() || performance.now() - lastFetchAt >= (unfetched.size > 0 ? idleTimeoutMs : lingerMs);
  try {
    await retryRequest(() => announce({ subjectPrefix, count }));
    while (!isDone()) await sleep(checkIntervalMs, undefined, { ref: unfetched.size > 0 });
  } catch {
    // No receiver listens, or none can be reached.
  } finally {
    subscription.unsubscribe();
  }
};

/** Fetches all chunks, with retries. @throws Error when a chunk cannot be fetched */
export const fetchChunks = async (
  connection: NatsConnection,
  { subjectPrefix, count }: Chunks,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const queue = new PQueue({ concurrency: fetchConcurrency });
  const fetchChunk = async (number: number): Promise<Uint8Array> => {
    signal.throwIfAborted();
    const response = await retryRequest(() =>
      connection.request(`${subjectPrefix}.${number}`, '', { timeout: requestTimeoutMs }),
    );
    return response.data;
  };
  return Buffer.concat(await queue.addAll(Array.from({ length: count }, (_, number) => () => fetchChunk(number))));
};
