import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import type { RecordedEvent } from '../port.ts';

export type Follow = (position: number, ended: AbortSignal) => AsyncGenerator<RecordedEvent[]>;

/** The newest events of the log, for all subscribers of the process: those after `start`. */
type Tail = {
  start(): number;
  /** Null where `position` lies further back. */
  after(position: number): RecordedEvent[] | null;
  /** Resolves when something has come, the tail is over, or `ended` aborts. */
  changed(ended: AbortSignal): Promise<void>;
  /** The events of a stream among them, if its first one is. */
  of(stream: string): RecordedEvent[];
  over(): boolean;
  stop(): void;
};

export type SharedSubscription = {
  follow: Follow;
  /** The events of a stream from its first on, where all of them are in the tail; else null. */
  recent(stream: string): RecordedEvent[] | null;
};

/** The tail holds up to twice as many events; when it is cut, so many stay. */
const kept = 512;
const batchSize = 256;

const openTail = (follow: Follow, from: number): Tail => {
  const stop = new AbortController();
  const changes = createChangeSignal();
  let recent: RecordedEvent[] = [];
  let start = from;

  const run = async (): Promise<void> => {
    try {
      for await (const batch of follow(from, stop.signal)) {
        recent.push(...batch);
        // Seldom, since what stays is moved.
        if (recent.length > 2 * kept) {
          const surplus = recent.length - kept;
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
    start: () => start,
    after: (position) => {
      if (position < start) return null;
      const first = recent.findLastIndex((event) => event.position <= position) + 1;
      return recent.slice(first, first + batchSize);
    },
    changed: (ended) => changes.waitForChange(ended),
    of: (stream) => {
      const begun = recent.findLastIndex((event) => event.stream === stream && event.revision === 0);
      return begun < 0 ? [] : recent.slice(begun).filter((event) => event.stream === stream);
    },
    over: () => stop.signal.aborted,
    stop: () => stop.abort(),
  };
};

/**
 * Lets the subscribers of one process share one subscription once they have come to the end of the log; a subscriber that is behind has
 * one of its own. `head` is the position of the newest event.
 */
export const shareSubscription = (follow: Follow, head: () => Promise<number>): SharedSubscription => {
  let subscribers = 0;
  let tail: Tail | null = null;
  let isOpening = false;

  const open = async (): Promise<void> => {
    if (subscribers < 2 || tail || isOpening) return;
    isOpening = true;
    try {
      const from = await head();
      if (subscribers > 0) tail = openTail(follow, from);
    } catch {
      // The next batch of a subscriber that is alone tries again.
    } finally {
      isOpening = false;
    }
  };
  const tailAt = (position: number): Tail | null => {
    if (tail?.over()) tail = null;
    return tail && position >= tail.start() ? tail : null;
  };

  const untilShared = async function* (position: number, ended: AbortSignal): AsyncGenerator<RecordedEvent[]> {
    void open();
    for await (const batch of follow(position, ended)) {
      yield batch;
      if (tailAt(batch.at(-1)!.position)) return;
      void open();
    }
  };

  const share: Follow = async function* (position, ended) {
    let at = position;
    subscribers += 1;
    try {
      while (!ended.aborted) {
        const shared = tailAt(at);
        const batch = shared?.after(at);
        if (!shared || !batch) {
          for await (const own of untilShared(at, ended)) {
            at = own.at(-1)!.position;
            yield own;
          }
        } else if (batch.length > 0) {
          at = batch.at(-1)!.position;
          yield batch;
        } else await shared.changed(ended);
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
    follow: share,
    recent: (stream) => {
      const events = tail && !tail.over() ? tail.of(stream) : [];
      return events.length > 0 ? events : null;
    },
  };
};
