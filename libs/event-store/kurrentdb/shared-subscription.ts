import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import type { RecordedEvent } from '../port.ts';
import { wholeStreamIn } from '../whole-stream.ts';

export type SubscribeAfter = (position: number, ended: AbortSignal) => AsyncGenerator<RecordedEvent[]>;

/** The newest events of the log, after `startPosition`, for all subscribers of the process. */
type SharedTail = {
  startPosition(): number;
  /** A batch after `position`; null if `position` is before `startPosition`. */
  readAfter(position: number): RecordedEvent[] | null;
  /** Resolves when there are new events, the tail has ended, or `ended` aborts. */
  waitForChange(ended: AbortSignal): Promise<void>;
  /** The events of a stream; null if the first of them is not in the tail. */
  readStream(stream: string): RecordedEvent[] | null;
  hasEnded(): boolean;
  stop(): void;
};

export type SharedSubscription = {
  subscribe: SubscribeAfter;
  /** The events of a stream from the first on, if the tail contains them; otherwise null. */
  readCached(stream: string): RecordedEvent[] | null;
};

/** When the tail has twice as many events, it is cut to this length. */
const trimmedTailLength = 512;
const batchSize = 256;

const openSharedTail = (subscribe: SubscribeAfter, from: number): SharedTail => {
  const stop = new AbortController();
  const changes = createChangeSignal();
  let recent: RecordedEvent[] = [];
  let start = from;

  const run = async (): Promise<void> => {
    try {
      for await (const batch of subscribe(from, stop.signal)) {
        recent.push(...batch);
        // Rarely, because cutting copies the remaining events.
        if (recent.length > 2 * trimmedTailLength) {
          const surplus = recent.length - trimmedTailLength;
          start = recent[surplus - 1]!.position;
          recent = recent.slice(surplus);
        }
        changes.notify();
      }
    } catch {
      // Each subscriber continues with its own subscription, gets the same error and throws it.
    } finally {
      stop.abort();
      changes.notify();
    }
  };
  void run();

  return {
    startPosition: () => start,
    readAfter: (position) => {
      if (position < start) return null;
      const first = recent.findLastIndex((event) => event.position <= position) + 1;
      return recent.slice(first, first + batchSize);
    },
    waitForChange: (ended) => changes.waitForChange(ended),
    readStream: (stream) => wholeStreamIn(recent, stream),
    hasEnded: () => stop.signal.aborted,
    stop: () => stop.abort(),
  };
};

/**
 * Lets the subscribers of one process share one subscription once they have reached the end of the log. A subscriber that is
 * behind has its own. `head` returns the position of the newest event.
 */
export const shareSubscription = (subscribe: SubscribeAfter, head: () => Promise<number>): SharedSubscription => {
  let subscribers = 0;
  let tail: SharedTail | null = null;
  let isOpening = false;

  const open = async (): Promise<void> => {
    if (subscribers < 2 || tail || isOpening) return;
    isOpening = true;
    try {
      const from = await head();
      if (subscribers > 0) tail = openSharedTail(subscribe, from);
    } catch {
      // The next batch of a subscriber with its own subscription tries again.
    } finally {
      isOpening = false;
    }
  };
  const tailAt = (position: number): SharedTail | null => {
    if (tail?.hasEnded()) tail = null;
    return tail && position >= tail.startPosition() ? tail : null;
  };

  const untilShared = async function* (position: number, ended: AbortSignal): AsyncGenerator<RecordedEvent[]> {
    void open();
    for await (const batch of subscribe(position, ended)) {
      yield batch;
      if (tailAt(batch.at(-1)!.position)) return;
      void open();
    }
  };

  const share: SubscribeAfter = async function* (position, ended) {
    let at = position;
    subscribers += 1;
    try {
      while (!ended.aborted) {
        const shared = tailAt(at);
        const batch = shared?.readAfter(at);
        if (!shared || !batch) {
          for await (const ownBatch of untilShared(at, ended)) {
            at = ownBatch.at(-1)!.position;
            yield ownBatch;
          }
        } else if (batch.length > 0) {
          at = batch.at(-1)!.position;
          yield batch;
        } else await shared.waitForChange(ended);
      }
    } finally {
      subscribers -= 1;
      if (subscribers === 0) {
        tail?.stop();
        tail = null;
      }
    }
  };
  return {
    subscribe: share,
    readCached: (stream) => (tail && !tail.hasEnded() ? tail.readStream(stream) : null),
  };
};
