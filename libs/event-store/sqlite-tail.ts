import type { RecordedEvent } from './port.ts';

/** The newest events, read once for all subscribers. */
export type Tail = { readAfter(position: number, limit: number): RecordedEvent[] };

const maxTailLength = 1024;

/** `readAll` reads from the event log. `changes` increases when there may be new events. `end` is the current end of the log. */
export const openTail = (
  readAll: (after: number, limit: number) => RecordedEvent[],
  changes: () => number,
  end: number,
): Tail => {
  let recent: RecordedEvent[] = [];
  let start = end;
  let seenChanges: number | undefined;

  const readNew = (): void => {
    const now = changes();
    if (seenChanges === now) return;
    const newEvents = readAll(start + recent.length, maxTailLength);
    if (newEvents.length < maxTailLength) seenChanges = now;
    if (newEvents.length === 0) return;
    recent.push(...newEvents);
    // Rarely, because cutting copies the remaining events.
    if (recent.length <= 2 * maxTailLength) return;
    const surplus = recent.length - maxTailLength;
    recent = recent.slice(surplus);
    start += surplus;
  };

  return {
    // Positions have no gaps, so the index in the tail follows from the position.
    readAfter: (position, limit) => {
      if (position < start) return readAll(position, limit);
      readNew();
      return position < start ? readAll(position, limit) : recent.slice(position - start, position - start + limit);
    },
  };
};
