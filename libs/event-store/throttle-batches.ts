import { pause } from '#libs/concurrency/pause.ts';
import type { RecordedEvent } from './port.ts';

/** After a batch of this size the next one is read at once. A full batch of KurrentDB; one of SQLite is larger. */
const fullBatchSize = 128;

export type ThrottleClock = { now: () => number; pause: (ms: number, signal: AbortSignal) => Promise<void> };
const systemThrottleClock: ThrottleClock = { now: () => performance.now(), pause };

/**
 * Waits `everyMs` milliseconds between small batches, so that events that arrive close together come in one batch. For
 * subscribers that keep statistics, not for those that act on events. The processing time counts as a part of the wait.
 */
export async function* throttleBatches(
  batches: AsyncIterable<RecordedEvent[]>,
  signal: AbortSignal,
  everyMs: number,
  { now, pause }: ThrottleClock = systemThrottleClock,
): AsyncGenerator<RecordedEvent[]> {
  for await (const batch of batches) {
    const since = now();
    yield batch;
    const leftMs = everyMs - (now() - since);
    if (batch.length < fullBatchSize && leftMs > 0) await pause(leftMs, signal);
  }
}
