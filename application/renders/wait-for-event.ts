import { pause } from '#libs/concurrency/pause.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';

const maxWaitMs = 45_000;
/** A request to render once more that is older than this was lost or has failed, and is made again. */
export const requestAgainAfterMs = 60_000;
const [initialPollMs, maxPollMs] = [50, 500];

/**
 * Polls the history of a stream until `find` finds what a worker of any process has appended. Null after 45 seconds, or
 * when `signal` aborts.
 */
export const waitForEvent = async <T>(
  { store }: EventLog,
  stream: string,
  find: (history: readonly RecordedEvent[]) => T | null,
  signal: AbortSignal,
): Promise<T | null> => {
  const deadline = performance.now() + maxWaitMs;
  for (let waitMs = initialPollMs; ; waitMs = Math.min(2 * waitMs, maxPollMs)) {
    const found = find(await store.read(stream));
    if (found !== null || signal.aborted || performance.now() > deadline) return found;
    await pause(waitMs, signal);
  }
};
