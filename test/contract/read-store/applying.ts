import { expect } from 'vitest';
import type { OpenedReadStore } from './opened.ts';
import { type Cases, needed } from '../harness.ts';
import { foundIds, people, places, put, putting } from './people.ts';

const soon = 20_000;

export const applying: Cases<OpenedReadStore> = {
  'a store is empty at first, and its models are at position 0': async ({ engine }) => {
    expect(await engine.checkpoint('people')).toBe(0);
    expect(await engine.get(people, 'a')).toBe(null);
    expect(await engine.find(people, { where: {}, limit: 10 })).toEqual([]);
    expect(await engine.count(people, {})).toBe(0);
  },

  'documents are written, replaced and removed together with the checkpoint': async ({ engine }) => {
    expect(await engine.apply('people', 0, 5, [putting('a', { name: 'Ada', age: 36 }), putting('b', { name: 'Bo' })])).toBe(true);
    expect(await engine.apply('people', 5, 9, [putting('a', { name: 'Ada L.' }), putting('b', null), putting('never there', null)])).toBe(true);
    expect(await engine.get(people, 'a')).toEqual({ name: 'Ada L.' });
    expect(await engine.get(people, 'b')).toBe(null);
    expect(await engine.checkpoint('people')).toBe(9);
  },

  'of several changes of one document in one step the last one counts': async ({ engine }) => {
    await put(engine, putting('a', { n: 1 }), putting('a', null), putting('a', { n: 3 }), putting('b', { n: 1 }), putting('b', null));
    expect(await engine.get(people, 'a')).toEqual({ n: 3 });
    expect(await engine.get(people, 'b')).toBe(null);
  },

  'a step without documents moves the checkpoint': async ({ engine }) => {
    expect(await engine.apply('people', 0, 7, [])).toBe(true);
    expect(await engine.checkpoint('people')).toBe(7);
  },

  'nothing is written when the checkpoint is elsewhere': async ({ engine }) => {
    await engine.apply('people', 0, 5, [putting('a', { n: 1 })]);
    for (const wrong of [0, 4, 6]) expect(await engine.apply('people', wrong, 8, [putting('a', { n: 2 }), putting('b', { n: 2 })])).toBe(false);
    expect(await engine.get(people, 'a')).toEqual({ n: 1 });
    expect(await engine.get(people, 'b')).toBe(null);
    expect(await engine.checkpoint('people')).toBe(5);
  },

  'of many that apply the same step at once one does': async ({ engine }) => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, number) => engine.apply('people', 0, 1, [putting('a', { number })])));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await engine.get(people, 'a')).toEqual({ number: answers.indexOf(true) });
  },

  'each model has its own checkpoint': async ({ engine }) => {
    await engine.apply('people', 0, 5, []);
    expect(await engine.apply('places', 0, 3, [putting('p', {}, places)])).toBe(true);
    expect([await engine.checkpoint('people'), await engine.checkpoint('places')]).toEqual([5, 3]);
  },

  'a document comes back as it was written': async ({ engine }) => {
    const document = { text: '\u00e9 e\u0301 \u0000 \n "\' 👩🏽‍🚀', list: [1, [2, { three: 3 }]], 'key with "quotes", spaces and ünïcode': { deep: null }, yes: true, big: 9007199254740991, small: -1.5e-7 };
    await put(engine, putting('a', document));
    expect(await engine.get(people, 'a')).toEqual(document);
    expect(await engine.find(people, { where: {}, limit: 10 })).toEqual([document]);
  },

  'an id may hold anything': async ({ engine }) => {
    const ids = ['', 'a', 'A', 'a\'; DROP TABLE "people"; --', '"', '%', '_', '$where', '\u00e9', 'e\u0301', '👩🏽‍🚀', 'x'.repeat(500), '2026-01-02T00:00:00Z'];
    await put(engine, ...ids.map((id) => putting(id, { id })));
    for (const id of ids) expect(await engine.get(people, id)).toEqual({ id });
    expect(await engine.count(people, {})).toBe(ids.length);
  },

  'reset empties the collections named and starts the model anew': async ({ engine }) => {
    await put(engine, putting('a', {}), putting('p', {}, places));
    await engine.apply('places', 0, 3, []);
    await engine.reset('people', [people]);
    expect(await engine.count(people, {})).toBe(0);
    expect(await engine.count(places, {})).toBe(1);
    expect([await engine.checkpoint('people'), await engine.checkpoint('places')]).toEqual([0, 3]);
    expect(await engine.apply('people', 0, 4, [putting('a', { again: true })])).toBe(true);
    expect(await engine.get(people, 'a')).toEqual({ again: true });
  },

  'what one instance writes right after another one has reset the model is seen by both': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    await put(engine, putting('a', { id: 'a', by: 'one' }));
    expect(await other.get(people, 'a')).toEqual({ id: 'a', by: 'one' });
    await engine.reset('people', [people]);
    expect(await other.apply('people', 0, 1, [putting('b', { id: 'b', by: 'other' })])).toBe(true);
    for (const store of [engine, other]) expect(await foundIds(store, {})).toEqual(['b']);
  },

  'reached answers true at once where the model is there already': async ({ engine }) => {
    await engine.apply('people', 0, 5, []);
    expect(await engine.reached('people', 5, 0)).toBe(true);
    expect(await engine.reached('never built', 0, 0)).toBe(true);
  },

  'reached waits for the step that takes the model there': async ({ engine }) => {
    const answers = Promise.all([engine.reached('people', 6, soon), engine.reached('people', 8, soon), engine.reached('people', 7, soon)]);
    await engine.apply('people', 0, 6, []);
    await engine.apply('people', 6, 8, []);
    expect(await answers).toEqual([true, true, true]);
  },

  'reached answers false when the model does not get there in time': async ({ engine }) => {
    await engine.apply('people', 0, 5, []);
    expect(await engine.reached('people', 6, 30)).toBe(false);
    expect(await engine.reached('people', 6, 0)).toBe(false);
  },

  'close ends the waiting': async ({ engine }) => {
    const waiting = engine.reached('people', 6, soon);
    await engine.close();
    await engine.close();
    expect(await waiting).toBe(false);
  },

  'two instances see each other, and one of them gets the step': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    const waiting = other.reached('people', 4, soon);
    expect(await engine.apply('people', 0, 4, [putting('a', { id: 'a', by: 'one' })])).toBe(true);
    expect(await waiting).toBe(true);
    expect(await other.get(people, 'a')).toEqual({ id: 'a', by: 'one' });
    expect(await other.apply('people', 0, 4, [putting('a', { id: 'a', by: 'other' })])).toBe(false);
    expect(await other.apply('people', 4, 5, [putting('b', { id: 'b', by: 'other' })])).toBe(true);
    expect(await engine.apply('people', 4, 6, [putting('b', null)])).toBe(false);
    expect(await foundIds(engine, {})).toEqual(['a', 'b']);
  },

  'all is still there after reopening': async ({ engine, reopen }, skip) => {
    const open = needed(reopen, 'lasting storage', skip);
    await put(engine, putting('a', { id: 'a' }));
    const again = await open();
    expect(await again.get(people, 'a')).toEqual({ id: 'a' });
    expect(await again.checkpoint('people')).toBe(1);
  },
};
