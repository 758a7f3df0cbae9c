import { expect, test } from 'vitest';
import type { RecordedEvent } from './port.ts';
import { openTail } from './sqlite-tail.ts';

const eventsUpTo = (length: number): RecordedEvent[] =>
  Array.from({ length }, (_, index) => ({ position: index + 1 }) as RecordedEvent);

const openTailCountingReads = (events: RecordedEvent[]) => {
  const at = { changes: 0, reads: 0 };
  const readAll = (after: number, limit: number): RecordedEvent[] => (
    (at.reads += 1),
    events.slice(after, after + limit)
  );
  return { at, tail: openTail(readAll, () => at.changes, events.length) };
};

test('the end of the event log is read once for all subscribers, and not again before there may be new events', () => {
  const events = eventsUpTo(3);
  const { at, tail } = openTailCountingReads(events);
  expect(tail.readAfter(3, 10)).toEqual([]);
  events.push(...eventsUpTo(5).slice(3));
  at.changes += 1;
  const before = at.reads;
  for (let subscriber = 0; subscriber < 3; subscriber += 1)
    expect(tail.readAfter(3, 10).map(({ position }) => position)).toEqual([4, 5]);
  expect(tail.readAfter(5, 10)).toEqual([]);
  expect(at.reads).toBe(before + 1);
});

test('more new events than the tail holds are read completely after one change', () => {
  const events: RecordedEvent[] = [];
  const { at, tail } = openTailCountingReads(events);
  expect(tail.readAfter(0, 256)).toEqual([]);
  events.push(...eventsUpTo(3_000));
  at.changes += 1;
  const seen: number[] = [];
  for (let batch = tail.readAfter(0, 256); batch.length > 0; batch = tail.readAfter(seen.at(-1)!, 256))
    seen.push(...batch.map(({ position }) => position));
  expect(seen).toEqual(events.map(({ position }) => position));
});
