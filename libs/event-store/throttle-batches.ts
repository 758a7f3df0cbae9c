import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedEvent } from './port.ts';

/** Of so many events the next batch is taken at once. */
const fullBatchSize = 256;

export type ThrottleClock = { now: () => number; pause: (ms: number, signal: AbortSignal) => Promise<void> };
const systemThrottleClock: ThrottleClock = {
  now: () => performance.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
};

/**
 * Few events are followed by the next ones no sooner than so many milliseconds after them, so that those of one moment come together: for who follows the log
 * to keep count, not to act on it. What the follower does meanwhile is part of that time.
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
