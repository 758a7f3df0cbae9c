import { setTimeout as sleep } from 'node:timers/promises';
import { createInbox, type NatsConnection } from '@nats-io/transport-node';
import PQueue from 'p-queue';
import { isNoRespondersError } from '#libs/nats/no-responders.ts';
import type { Chunks } from './reply-codec.ts';

// Whoever fetches sets the pace: a server cuts off those to whom more is sent than they take in.
const fetchConcurrency = 4;
const requestTimeoutMs = 2_000;
const maxTries = 5;
const retryDelayMs = 100;
/** Who has fetched nothing for so long is gone. */
const idleTimeoutMs = 5_000;
/** When all has been fetched, others may still be at it. */
const lingerMs = 500;
const checkIntervalMs = 100;

const retryRequest = async <T>(act: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (attempt === maxTries || isNoRespondersError(error)) throw error;
      await sleep(retryDelayMs * attempt);
    }
  }
};

/** Holds the bytes for those who fetch them, and resolves when they have or nobody does. `announce` tells where they are; when it fails, nobody waits. */
export const serveChunks = async (
  connection: NatsConnection,
  bytes: Uint8Array,
  partBytes: number,
  announce: (parts: Chunks) => Promise<unknown>,
): Promise<void> => {
  const from = createInbox();
  const left = new Set(Array.from({ length: Math.ceil(bytes.byteLength / partBytes) }, (_, number) => number));
  const count = left.size;
  let fetchedAt = performance.now();
  const offer = connection.subscribe(`${from}.*`, {
    callback: (error, message) => {
      if (error) return;
      const number = Number(message.subject.slice(from.length + 1));
      fetchedAt = performance.now();
      left.delete(number);
      message.respond(bytes.subarray(number * partBytes, (number + 1) * partBytes));
    },
  });
  try {
    await retryRequest(() => announce({ subjectPrefix: from, count }));
    while (!connection.isClosed() && performance.now() - fetchedAt < (left.size > 0 ? idleTimeoutMs : lingerMs))
      await sleep(checkIntervalMs, undefined, { ref: left.size > 0 });
  } catch {
    // Nobody waits, or nobody can be told.
  } finally {
    offer.unsubscribe();
  }
};

/** Fetches all parts; one that does not come is asked for again. @throws Error where it comes no more */
export const fetchChunks = async (
  connection: NatsConnection,
  { subjectPrefix, count }: Chunks,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const queue = new PQueue({ concurrency: fetchConcurrency });
  const fetched = await queue.addAll(
    Array.from({ length: count }, (_, number) => async () => {
      signal.throwIfAborted();
      return (
        await retryRequest(() => connection.request(`${subjectPrefix}.${number}`, '', { timeout: requestTimeoutMs }))
      ).data;
    }),
  );
  return Buffer.concat(fetched);
};
