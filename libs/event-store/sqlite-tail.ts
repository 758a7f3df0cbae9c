import type { ChangeSignal } from '#libs/concurrency/change-signal.ts';
import type { RecordedEvent } from './port.ts';
import { wholeStreamIn } from './whole-stream.ts';

/** The newest events in memory: those of this process, and those of others, which are read once for all subscribers. */
export type Tail = {
  readAfter(position: number, limit: number): RecordedEvent[];
  /**
   * Adds events that this process has just appended, and notifies `changes`. They need not be read then, unless other
   * new events may come before them.
   */
  append(events: readonly RecordedEvent[]): void;
  /** The events of a stream; null if the first of them is not in the tail. */
  readStream(stream: string): RecordedEvent[] | null;
};

/**
 * `readAll` reads from the event log. `changes` is notified when there may be new events. `end` is the current end of
 * the log. A tail of twice `keptLength` events is cut to the newest `keptLength`, which is also the limit of one read.
 */
export const openTail = (
  readAll: (after: number, limit: number) => RecordedEvent[],
  changes: Pick<ChangeSignal, 'notify' | 'version'>,
  end: number,
  keptLength = 1024,
): Tail => {
  let recent: RecordedEvent[] = [];
  let start = end;
  let seenVersion: number | undefined;

  const add = (events: readonly RecordedEvent[]): void => {
    recent.push(...events);
    // Rarely, because cutting copies the remaining events.
    if (recent.length <= 2 * keptLength) return;
    const surplus = recent.length - keptLength;
    recent = recent.slice(surplus);
    start += surplus;
  };

  const readNew = (): void => {
    const version = changes.version();
    if (seenVersion === version) return;
    const newEvents = readAll(start + recent.length, keptLength);
    if (newEvents.length < keptLength) seenVersion = version;
    add(newEvents);
  };

  return {
    // Positions have no gaps, so the index in the tail follows from the position.
    readAfter: (position, limit) => {
      readNew();
      return position < start ? readAll(position, limit) : recent.slice(position - start, position - start + limit);
    },
    append: (events) => {
      const isNext = seenVersion === changes.version() && events[0]!.position === start + recent.length + 1;
      changes.notify();
      if (!isNext) return;
      add(events);
      seenVersion = changes.version();
    },
    readStream: (stream) => wholeStreamIn(recent, stream),
  };
};
