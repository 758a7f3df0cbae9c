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
  'a new event log and a new stream are empty': async ({ engine }) => {
    expect(await engine.head()).toBe(0);
    expect(await engine.readAll(0, 10)).toEqual([]);
    expect(await engine.read('render-1')).toEqual([]);
  },

  'an append returns the revision and position of its last event': async ({ engine }) => {
    const result = await engine.append('render-1', newEvents(3), noStream);
    expect(result.revision).toBe(2);
    expect(result.position).toBe(await engine.head());
    expect((await engine.read('render-1')).at(-1)).toMatchObject(result);
  },

  'an event is read as it was appended, with stream, revision and position': async ({ engine }) => {
    const event = newEvent({ nested: { list: [1, 'two', null, true, 2.5, -1e-7] } });
    const result = await engine.append('render-1', [event], noStream);
    expect(await engine.read('render-1')).toEqual([{ ...event, stream: 'render-1', ...result }]);
    expect(await engine.readAll(0, 10)).toEqual(await engine.read('render-1'));
  },

  'a stream can be read from any revision': async ({ engine }) => {
    const events = newEvents(4);
    await engine.append('render-1', events, noStream);
    await engine.append('render-2', newEvents(2), noStream);
    expect(eventIds(await engine.read('render-1', 2))).toEqual(eventIds(events.slice(2)));
    expect(eventIds(await engine.read('render-1', 1, 2))).toEqual(eventIds(events.slice(1, 3)));
    expect(await engine.read('render-1', 4)).toEqual([]);
  },

  'the whole event log can be read in pages after any position': async ({ engine }) => {
    const events = newEvents(7);
    await appendEach(engine, 'render-1', events);
    const first = await engine.readAll(0, 3);
    const second = await engine.readAll(first.at(-1)!.position, 100);
    expect(eventIds([...first, ...second])).toEqual(eventIds(events));
    expect(first).toHaveLength(3);
    expect(await engine.readAll(await engine.head(), 3)).toEqual([]);
  },

  'an append at a wrong revision is a conflict and has no effect': async ({ engine }) => {
    await engine.append('render-1', newEvents(2), noStream);
    for (const wrong of [noStream, 0, 2, 7, -2]) {
      await expect(engine.append('render-1', newEvents(2), wrong), `expected ${wrong}`).rejects.toThrow(
        RevisionConflict,
      );
    }
    await expect(engine.append('render-2', newEvents(1), 0)).rejects.toThrow(RevisionConflict);
    expect(await engine.readAll(0, 10)).toHaveLength(2);
  },

  'a repeated append has no effect, even if the stream has more events now': async ({ engine }) => {
    const events = newEvents(2);
    const result = await engine.append('render-1', events, noStream);
    expect(await engine.append('render-1', events, noStream)).toEqual(result);
    await engine.append('render-1', newEvents(1), 1);
    expect(await engine.append('render-1', events, noStream)).toEqual(result);
    expect(await engine.readAll(0, 10)).toHaveLength(3);
  },

  'parallel repetitions of an append have one effect': async ({ engine }) => {
    const events = newEvents(2);
    const appends = await Promise.all(Array.from({ length: 20 }, () => engine.append('render-1', events, noStream)));
    expect(new Set(appends.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(await engine.readAll(0, 100)).toHaveLength(2);
  },

  'an append that matches only a part of the stored events is a conflict': async ({ engine }) => {
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

  'of many parallel appends at the same revision one succeeds': async ({ engine }) => {
    const ends = await Promise.allSettled(
      Array.from({ length: 30 }, () => engine.append('render-1', newEvents(2), noStream)),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(RevisionConflict);
    expect(await engine.read('render-1')).toHaveLength(2);
  },

  'an append without events is rejected': async ({ engine }) => {
    await expect(engine.append('render-1', [], noStream)).rejects.toThrow(RangeError);
  },

  'an event whose data is not JSON is rejected': async ({ engine }) => {
    await expect(engine.append('render-1', [newEvent(), newEventWith(undefined)], noStream)).rejects.toThrow(
      'not JSON',
    );
    expect(await engine.head()).toBe(0);
  },

  'data and metadata can have 64 KB each, and no more': async ({ engine }) => {
    const largest = newEvent(dataOfBytes(maxEventBytes));
    await engine.append('render-1', [largest], noStream);
    expect((await engine.read('render-1'))[0]!.data).toBe(largest.data);
    const inUmlauts = newEvent('ä'.repeat(maxEventBytes / 2));
    const largeMetadata = {
      ...newEvent(),
      metadata: { ...newEvent().metadata, correlationId: 'x'.repeat(maxEventBytes) },
    };
    for (const tooLarge of [newEvent(dataOfBytes(maxEventBytes + 1)), inUmlauts, largeMetadata]) {
      await expect(engine.append('render-2', [newEvent(), tooLarge], noStream)).rejects.toThrow(EventTooLarge);
    }
    expect(await engine.read('render-2')).toEqual([]);
  },

  'any JSON is read as it was appended, also lone surrogates and U+0000': async ({ engine }) => {
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

  'all events remain after reopening, and the event log continues': async ({ engine, reopen }, skip) => {
    const open = requireAbility(reopen, 'lasting storage', skip);
    await engine.append('render-1', newEvents(3), noStream);
    const before = await engine.readAll(0, 10);
    const again = await open();
    expect(await again.readAll(0, 10)).toEqual(before);
    const { position } = await again.append('render-1', newEvents(1), 2);
    expect(position).toBeGreaterThan(before.at(-1)!.position);
  },

  'close waits for running appends and rejects later ones': async ({ engine, reopen }, skip) => {
    const open = requireAbility(reopen, 'lasting storage', skip);
    const appends = Array.from({ length: 50 }, (_, number) =>
      engine.append(`render-${number}`, newEvents(1), noStream),
    );
    await Promise.all([engine.close(), engine.close()]);
    await Promise.all(appends);
    await expect(engine.append('render-x', newEvents(1), noStream)).rejects.toThrow();
    expect(await (await open()).readAll(0, 100)).toHaveLength(50);
  },
};
