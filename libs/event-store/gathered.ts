import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedEvent } from './port.ts';

/** Of so many events the next batch is taken at once. */
const manyEvents = 256;
/** Few events are followed by a pause, so that those of one moment come together: for who follows the log to keep count, not to act on it. */
export async function* gathered(batches: AsyncIterable<RecordedEvent[]>, signal: AbortSignal, gatherMs: number): AsyncGenerator<RecordedEvent[]> {
  for await (const batch of batches) {
    yield batch;
    if (batch.length < manyEvents) await pause(gatherMs, undefined, { signal }).catch(() => undefined);
  }
}
