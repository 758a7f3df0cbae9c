import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import type { RecordedEvent } from '../port.ts';

export type SubscribeAfter = (position: number, ended: AbortSignal) => AsyncGenerator<RecordedEvent[]>;

/** The newest events of the log, for all subscribers of the process: those after `start`. */
type SharedTail = {
  startPosition(): number;
  /** Null where `position` lies further back. */
  readAfter(position: number): RecordedEvent[] | null;
  /** Resolves when something has come, the tail is over, or `ended` aborts. */
  waitForChange(ended: AbortSignal): Promise<void>;
  /** The events of a stream among them, if its first one is. */
  eventsOfStream(stream: string): RecordedEvent[];
  hasEnded(): boolean;
  stop(): void;
};

export type SharedSubscription = {
  subscribe: SubscribeAfter;
  /** The events of a stream from its first on, where all of them are in the tail; else null. */
  readCached(stream: string): RecordedEvent[] | null;
};

/** The tail holds up to twice as many events; when it is cut, so many stay. */
const trimmedTailLength = 512;
const batchSize = 256;

const openSharedTail = (follow: SubscribeAfter, from: number): SharedTail => {
  const stop = new AbortController();
  const changes = createChangeSignal();
  let recent: RecordedEvent[] = [];
  let start = from;

  const run = async (): Promise<void> => {
    try {
      for await (const batch of follow(from, stop.signal)) {
        recent.push(...batch);
        // Seldom, since what stays is moved.
        if (recent.length > 2 * trimmedTailLength) {
          const surplus = recent.length - trimmedTailLength;
          start = recent[surplus - 1]!.position;
          recent = recent.slice(surplus);
        }
        changes.notify();
      }
    } catch {
      // Each subscriber goes on alone from here, meets the same error and throws it.
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
    eventsOfStream: (stream) => {
      const begun = recent.findLastIndex((event) => event.stream === stream && event.revision === 0);
      return begun < 0 ? [] : recent.slice(begun).filter((event) => event.stream === stream);
    },
    hasEnded: () => stop.signal.aborted,
    stop: () => stop.abort(),
  };
};

/**
 * Lets the subscribers of one process share one subscription once they have come to the end of the log; a subscriber that is behind has
 * one of its own. `head` is the position of the newest event.
 */
export const shareSubscription = (follow: SubscribeAfter, head: () => Promise<number>): SharedSubscription => {
  let subscribers = 0;
  let tail: SharedTail | null = null;
  let isOpening = false;

  const open = async (): Promise<void> => {
    if (subscribers < 2 || tail || isOpening) return;
    isOpening = true;
    try {
      const from = await head();
      if (subscribers > 0) tail = openSharedTail(follow, from);
    } catch {
      // The next batch of a subscriber that is alone tries again.
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
    for await (const batch of follow(position, ended)) {
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
          for await (const own of untilShared(at, ended)) {
            at = own.at(-1)!.position;
            yield own;
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
    readCached: (stream) => {
      const events = tail && !tail.hasEnded() ? tail.eventsOfStream(stream) : [];
      return events.length > 0 ? events : null;
    },
  };
};
