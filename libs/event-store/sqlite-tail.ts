import type { RecordedEvent } from './port.ts';

/** The events that came last, read once for all who follow the log. */
export type Tail = { readAfter(position: number, limit: number): RecordedEvent[] };

const maxTailLength = 1024;

/** `readAll` reads from the log itself, `changes` grows whenever there may be something new in it; `end` is the position of its newest event now. */
export const openTail = (
  readAll: (after: number, limit: number) => RecordedEvent[],
  changes: () => number,
  end: number,
): Tail => {
  let recent: RecordedEvent[] = [];
  let start = end;
  let seen: number | undefined;

  const readNew = (): void => {
    const now = changes();
    if (seen === now) return;
    const fresh = readAll(start + recent.length, maxTailLength);
    if (fresh.length < maxTailLength) seen = now;
    if (fresh.length === 0) return;
    recent.push(...fresh);
    // Cut seldom, since each cut copies all that is left.
    if (recent.length <= 2 * maxTailLength) return;
    const surplus = recent.length - maxTailLength;
    recent = recent.slice(surplus);
    start += surplus;
  };

  return {
    // Positions have no gaps, so that an event's place in the tail follows from its position.
    readAfter: (position, limit) => {
      if (position < start) return readAll(position, limit);
      readNew();
      return position < start ? readAll(position, limit) : recent.slice(position - start, position - start + limit);
    },
  };
};
