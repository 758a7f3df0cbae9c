import fc from 'fast-check';
import { expect } from 'vitest';
import { type EventStore, noStream, type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import type { ContractCases, EngineUnderTest } from '../../support/contract/describe-contract.ts';
import {
  readSubscription,
  newEvent,
  newEvents,
  appendEach,
  eventIds,
  isInOrder,
} from '../../support/contract/new-events.ts';

/** Appends at the end of a stream; retries after a conflict. */
const appendAtTheEnd = async (store: EventStore, stream: string, count: number): Promise<void> => {
  const events = newEvents(count);
  for (;;) {
    const last = (await store.read(stream)).at(-1)?.revision ?? noStream;
    try {
      await store.append(stream, events, last);
      return;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};

const someAppends = fc.array(fc.record({ stream: fc.nat({ max: 3 }), count: fc.integer({ min: 1, max: 3 }) }), {
  minLength: 1,
  maxLength: 25,
});

const drain = async (batches: AsyncIterable<RecordedEvent[]>): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const batch of batches) events.push(...batch);
  return events;
};

export const subscribingCases: ContractCases<EngineUnderTest<EventStore>> = {
  'readers and subscribers get events of parallel appends once and in order': async ({ engine }) => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(someAppends, async (appends) => {
        const before = await engine.head();
        const expected = appends.reduce((sum, { count }) => sum + count, 0);
        run += 1;
        const live = readSubscription(engine, before, expected);
        await Promise.all(appends.map(({ stream, count }) => appendAtTheEnd(engine, `render-${run}-${stream}`, count)));
        const read = await engine.readAll(before, 1_000);
        expect(read).toHaveLength(expected);
        expect(isInOrder(read)).toBe(true);
        for (const { stream } of appends) {
          const revisions = (await engine.read(`render-${run}-${stream}`)).map(({ revision }) => revision);
          expect(revisions).toEqual(revisions.map((_, index) => index));
        }
        expect(await live).toEqual(read);
        expect(await readSubscription(engine, before, expected)).toEqual(read);
      }),
      { numRuns: 12 },
    );
  },

  'a subscription can start after any position': async ({ engine }) => {
    const events = newEvents(6);
    await appendEach(engine, 'render-1', events);
    const all = await engine.readAll(0, 10);
    for (const [index, { position }] of all.slice(0, -1).entries()) {
      expect(eventIds(await readSubscription(engine, position, 5 - index))).toEqual(eventIds(events.slice(index + 1)));
    }
    expect(eventIds(await readSubscription(engine, 0, 6))).toEqual(eventIds(events));
  },

  'a subscription catches up with a long event log and then gets new events': async ({ engine }) => {
    const old = newEvents(600);
    for (let from = 0; from < old.length; from += 50)
      await engine.append('render-1', old.slice(from, from + 50), from - 1);
    const later = newEvent();
    const got: RecordedEvent[] = [];
    const enough = new AbortController();
    for await (const batch of engine.subscribe(0, enough.signal)) {
      got.push(...batch);
      if (got.length === 600) await engine.append('render-2', [later], noStream);
      if (got.length > 600) enough.abort();
    }
    expect(eventIds(got)).toEqual(eventIds([...old, later]));
    expect(isInOrder(got)).toBe(true);
  },

  'every subscriber gets every event': async ({ engine }) => {
    const subscribers = Array.from({ length: 5 }, () => readSubscription(engine, 0, 20));
    const events = newEvents(20);
    await appendEach(engine, 'render-1', events);
    for (const got of await Promise.all(subscribers)) expect(eventIds(got)).toEqual(eventIds(events));
  },

  'an abort ends a subscription that waits, that has more events, or that has not started': async ({ engine }) => {
    const waiting = new AbortController();
    const drained = drain(engine.subscribe(0, waiting.signal));
    await appendEach(engine, 'render-1', newEvents(3));
    await readSubscription(engine, 0, 3);
    waiting.abort();
    expect((await drained).length).toBeLessThanOrEqual(3);

    const first = new AbortController();
    for await (const batch of engine.subscribe(0, first.signal)) {
      expect(batch.length).toBeGreaterThan(0);
      first.abort();
    }
    expect(await drain(engine.subscribe(0, AbortSignal.abort()))).toEqual([]);
  },

  'a subscriber that stops does not affect the others': async ({ engine }) => {
    const other = readSubscription(engine, 0, 2);
    await engine.append('render-1', newEvents(1), noStream);
    for await (const _ of engine.subscribe(0, new AbortController().signal)) break;
    await engine.append('render-1', newEvents(1), 0);
    expect(await other).toHaveLength(2);
  },

  'close ends the subscriptions': async ({ engine }) => {
    const open = new AbortController();
    const ends = Promise.all([drain(engine.subscribe(0, open.signal)), drain(engine.subscribe(0, open.signal))]);
    await engine.append('render-1', newEvents(1), noStream);
    await engine.close();
    for (const got of await ends) expect(got.length).toBeLessThanOrEqual(1);
  },
};
