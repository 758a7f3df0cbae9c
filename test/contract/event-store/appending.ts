import fc from 'fast-check';
import { expect } from 'vitest';
import {
  EventTooLarge,
  type EventStore,
  maxEventBytes,
  type NewEvent,
  noStream,
  RevisionConflict,
} from '#libs/event-store/port.ts';
import { type ContractCases, requireAbility, type EngineUnderTest } from '../../support/contract/describe-contract.ts';
import { newEvent, newEvents, newEventWith, appendEach, eventIds } from '../../support/contract/new-events.ts';

const dataOfBytes = (bytes: number): string => 'x'.repeat(bytes - 2);
const everyCodeUnit = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

export const appendingCases: ContractCases<EngineUnderTest<EventStore>> = {
  'a log and a stream without events are empty': async ({ engine }) => {
    expect(await engine.head()).toBe(0);
    expect(await engine.readAll(0, 10)).toEqual([]);
    expect(await engine.read('render-1')).toEqual([]);
  },

  'an append answers with the revision and the position of its last event': async ({ engine }) => {
    const answer = await engine.append('render-1', newEvents(3), noStream);
    expect(answer.revision).toBe(2);
    expect(answer.position).toBe(await engine.head());
    expect((await engine.read('render-1')).at(-1)).toMatchObject(answer);
  },

  'an event comes back as it was recorded, with stream, revision and position': async ({ engine }) => {
    const event = newEvent({ nested: { list: [1, 'two', null, true, 2.5, -1e-7] } });
    const answer = await engine.append('render-1', [event], noStream);
    expect(await engine.read('render-1')).toEqual([{ ...event, stream: 'render-1', ...answer }]);
    expect(await engine.readAll(0, 10)).toEqual(await engine.read('render-1'));
  },

  'a stream is read from any revision on': async ({ engine }) => {
    const events = newEvents(4);
    await engine.append('render-1', events, noStream);
    await engine.append('render-2', newEvents(2), noStream);
    expect(eventIds(await engine.read('render-1', 2))).toEqual(eventIds(events.slice(2)));
    expect(await engine.read('render-1', 4)).toEqual([]);
  },

  'the whole log is read in pages after any position': async ({ engine }) => {
    const events = newEvents(7);
    await appendEach(engine, 'render-1', events);
    const first = await engine.readAll(0, 3);
    const second = await engine.readAll(first.at(-1)!.position, 100);
    expect(eventIds([...first, ...second])).toEqual(eventIds(events));
    expect(first).toHaveLength(3);
    expect(await engine.readAll(await engine.head(), 3)).toEqual([]);
  },

  'an append at another revision than the stream has is a conflict and leaves nothing behind': async ({ engine }) => {
    await engine.append('render-1', newEvents(2), noStream);
    for (const wrong of [noStream, 0, 2, 7, -2]) {
      await expect(engine.append('render-1', newEvents(2), wrong), `expected ${wrong}`).rejects.toThrow(
        RevisionConflict,
      );
    }
    await expect(engine.append('render-2', newEvents(1), 0)).rejects.toThrow(RevisionConflict);
    expect(await engine.readAll(0, 10)).toHaveLength(2);
  },

  'the same append again is the same append, also when the stream has gone on since': async ({ engine }) => {
    const events = newEvents(2);
    const answer = await engine.append('render-1', events, noStream);
    expect(await engine.append('render-1', events, noStream)).toEqual(answer);
    await engine.append('render-1', newEvents(1), 1);
    expect(await engine.append('render-1', events, noStream)).toEqual(answer);
    expect(await engine.readAll(0, 10)).toHaveLength(3);
  },

  'the same append many times at once is one append': async ({ engine }) => {
    const events = newEvents(2);
    const answers = await Promise.all(Array.from({ length: 20 }, () => engine.append('render-1', events, noStream)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await engine.readAll(0, 100)).toHaveLength(2);
  },

  'an append that shares only some of its events with what stands there is a conflict': async ({ engine }) => {
    const [a, b] = newEvents(2) as [NewEvent, NewEvent];
    await engine.append('render-1', [a, b], noStream);
    for (const other of [
      [newEvent(), b],
      [a, newEvent()],
      [a, b, newEvent()],
      [b, a],
    ]) {
      await expect(engine.append('render-1', other, noStream)).rejects.toThrow(RevisionConflict);
    }
    expect(eventIds(await engine.readAll(0, 10))).toEqual(eventIds([a, b]));
  },

  'of many different appends at the same revision one wins': async ({ engine }) => {
    const ends = await Promise.allSettled(
      Array.from({ length: 30 }, () => engine.append('render-1', newEvents(2), noStream)),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(RevisionConflict);
    expect(await engine.read('render-1')).toHaveLength(2);
  },

  'an append without events is refused': async ({ engine }) => {
    await expect(engine.append('render-1', [], noStream)).rejects.toThrow(RangeError);
  },

  'an event whose data is no JSON is refused': async ({ engine }) => {
    await expect(engine.append('render-1', [newEvent(), newEventWith(undefined)], noStream)).rejects.toThrow('no JSON');
    expect(await engine.head()).toBe(0);
  },

  'data and metadata may have 64 KB each, and not a byte more': async ({ engine }) => {
    const largest = newEvent(dataOfBytes(maxEventBytes));
    await engine.append('render-1', [largest], noStream);
    expect((await engine.read('render-1'))[0]!.data).toBe(largest.data);
    const inUmlauts = newEvent('ä'.repeat(maxEventBytes / 2));
    const tooMuchAbout = {
      ...newEvent(),
      metadata: { ...newEvent().metadata, correlationId: 'x'.repeat(maxEventBytes) },
    };
    for (const tooLarge of [newEvent(dataOfBytes(maxEventBytes + 1)), inUmlauts, tooMuchAbout]) {
      await expect(engine.append('render-2', [newEvent(), tooLarge], noStream)).rejects.toThrow(EventTooLarge);
    }
    expect(await engine.read('render-2')).toEqual([]);
  },

  'any JSON comes back the same, lone surrogates and U+0000 included': async ({ engine }) => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(everyCodeUnit, fc.jsonValue(), async (text, value) => {
        const stream = `render-${(number += 1)}`;
        const data = { [text]: text, value, known: '\ud800 \u0000 \udfff "\' 👩🏽‍🚀 \u00e9 e\u0301' };
        await engine.append(stream, [newEvent(data)], noStream);
        expect((await engine.read(stream))[0]!.data).toEqual(JSON.parse(JSON.stringify(data)));
      }),
      { numRuns: 50 },
    );
  },

  'all is still there after reopening, and the log goes on from there': async ({ engine, reopen }, skip) => {
    const open = requireAbility(reopen, 'lasting storage', skip);
    await engine.append('render-1', newEvents(3), noStream);
    const before = await engine.readAll(0, 10);
    const again = await open();
    expect(await again.readAll(0, 10)).toEqual(before);
    const { position } = await again.append('render-1', newEvents(1), 2);
    expect(position).toBeGreaterThan(before.at(-1)!.position);
  },

  'close waits for the appends under way and refuses later ones': async ({ engine, reopen }, skip) => {
    const open = requireAbility(reopen, 'lasting storage', skip);
    const answers = Array.from({ length: 50 }, (_, number) =>
      engine.append(`render-${number}`, newEvents(1), noStream),
    );
    await Promise.all([engine.close(), engine.close()]);
    await Promise.all(answers);
    await expect(engine.append('render-x', newEvents(1), noStream)).rejects.toThrow();
    expect(await (await open()).readAll(0, 100)).toHaveLength(50);
  },
};
