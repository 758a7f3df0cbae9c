import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordedEvent } from './port.ts';
import { openTail } from './sqlite-tail.ts';

const eventsUpTo = (length: number): RecordedEvent[] =>
  Array.from({ length }, (_, index) => ({ position: index + 1 }) as RecordedEvent);

const positionsOf = (events: readonly RecordedEvent[]): number[] => events.map(({ position }) => position);

const openTailCountingReads = (events: RecordedEvent[], keptLength?: number) => {
  const at = { changes: 0, reads: 0 };
  const readAll = (after: number, limit: number): RecordedEvent[] => (
    (at.reads += 1),
    events.slice(after, after + limit)
  );
  const changes = { version: () => at.changes, notify: () => void (at.changes += 1) };
  return { at, tail: openTail(readAll, changes, events.length, keptLength) };
};

test('the end of the event log is read once for all subscribers, and not again before there may be new events', () => {
  const events = eventsUpTo(3);
  const { at, tail } = openTailCountingReads(events);
  expect(tail.readAfter(3, 10)).toEqual([]);
  events.push(...eventsUpTo(5).slice(3));
  at.changes += 1;
  const before = at.reads;
  for (let subscriber = 0; subscriber < 3; subscriber += 1) expect(positionsOf(tail.readAfter(3, 10))).toEqual([4, 5]);
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
    seen.push(...positionsOf(batch));
  expect(seen).toEqual(positionsOf(events));
});

test('events that this process has appended are not read', () => {
  const events = eventsUpTo(3);
  const { at, tail } = openTailCountingReads(events);
  tail.readAfter(3, 10);
  const before = at.reads;
  for (const event of eventsUpTo(5).slice(3)) {
    events.push(event);
    tail.append([event]);
  }
  expect(positionsOf(tail.readAfter(3, 10))).toEqual([4, 5]);
  expect(at.reads).toBe(before);
});

test('events of other processes before, between and after those of this process are read, in order and once', () => {
  type Append = { by: 'this process' | 'another'; count: number };
  type Read = { by: 'a reader'; reader: number; limit: number };
  type Step = Append | Read | { by: 'the poll' };
  const appends = fc.record({
    by: fc.constantFrom<Append['by'][]>('this process', 'another'),
    count: fc.integer({ min: 1, max: 3 }),
  });
  const reads = fc.record<Read>({
    by: fc.constant('a reader'),
    reader: fc.nat({ max: 1 }),
    limit: fc.integer({ min: 1, max: 10 }),
  });
  const polls = fc.constant<Step>({ by: 'the poll' });
  const steps = fc.array(fc.oneof<fc.Arbitrary<Step>[]>(appends, reads, polls), { maxLength: 60 });
  fc.assert(
    fc.property(fc.nat({ max: 3 }), steps, (length, all) => {
      const events = eventsUpTo(length);
      // Shorter than what one process may append between two reads.
      const { at, tail } = openTailCountingReads(events, 4);
      const readers: number[][] = [positionsOf(events), positionsOf(events)];
      const read = (seen: number[], limit: number): number =>
        seen.push(...positionsOf(tail.readAfter(seen.length, limit)));
      for (const step of all) {
        if (step.by === 'a reader') read(readers[step.reader]!, step.limit);
        else if (step.by === 'the poll') at.changes += 1;
        else {
          const added = eventsUpTo(events.length + step.count).slice(events.length);
          events.push(...added);
          if (step.by === 'this process') tail.append(added);
        }
      }
      at.changes += 1;
      for (const seen of readers) {
        for (let before = -1; before < seen.length;) {
          before = seen.length;
          read(seen, 10);
        }
        expect(seen).toEqual(positionsOf(events));
      }
    }),
  );
});

test('an append is found by its readers although another process has appended before it', () => {
  const events = eventsUpTo(1);
  const { tail } = openTailCountingReads(events);
  tail.readAfter(1, 10);
  events.push(...eventsUpTo(3).slice(1));
  tail.append(events.slice(2));
  expect(positionsOf(tail.readAfter(1, 10))).toEqual([2, 3]);
});

test('a stream is read from the tail if its first event is there', () => {
  const eventOf = (position: number, stream: string, revision: number) =>
    ({ position, stream, revision }) as RecordedEvent;
  const events = [eventOf(1, 'before', 0)];
  const { tail } = openTailCountingReads(events);
  tail.readAfter(1, 10);
  tail.append([eventOf(2, 'a', 0), eventOf(3, 'b', 0)]);
  tail.append([eventOf(4, 'before', 1), eventOf(5, 'a', 1)]);
  expect(tail.readStream('a')?.map(({ position }) => position)).toEqual([2, 5]);
  expect(tail.readStream('b')?.map(({ position }) => position)).toEqual([3]);
  expect(tail.readStream('before')).toBe(null);
  expect(tail.readStream('unknown')).toBe(null);
});

test('an event of another process is found if it was noticed before the append of this process had resolved', () => {
  const events = eventsUpTo(1);
  const { at, tail } = openTailCountingReads(events);
  tail.readAfter(1, 10);
  events.push(...eventsUpTo(3).slice(1));
  at.changes += 1;
  tail.append(events.slice(1, 2));
  expect(positionsOf(tail.readAfter(1, 10))).toEqual([2, 3]);
});
