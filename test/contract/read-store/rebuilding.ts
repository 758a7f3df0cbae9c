import fc from 'fast-check';
import { expect } from 'vitest';
import { type Change, type Document, type ModelWriter, RebuildSuperseded, type ReadStore } from '#libs/read-store/port.ts';
import { type Cases, needed } from '../harness.ts';
import type { OpenedReadStore } from './opened.ts';
import { foundIds, people, places, putting } from './people.ts';

const soon = 20_000;
const document = (id: string, n: number): Document => ({ id, n, team: 'red' });

const steppedOn = (writer: ModelWriter, from: number, to: number, changes: readonly Change[]): Promise<boolean> => writer.advance(from, to, [{ model: 'people', changes }]);
const seenBy = async (writer: ModelWriter, collection: string, id: string): Promise<Document | null> => (await writer.held(collection, id)).document;

/** A model at position 5 with the documents `a` and `b`, and one elsewhere. */
const begun = async (engine: ReadStore) => {
  await engine.apply('people', 0, 5, [putting('a', document('a', 1)), putting('b', document('b', 1)), putting('p', { id: 'p' }, places)]);
  return engine.rebuild('people', [people]);
};

export const rebuilding: Cases<OpenedReadStore> = {
  'while a model is built anew what is there serves on, and goes on': async ({ engine }) => {
    const { copy } = await begun(engine);
    expect([await copy.checkpoint('people'), await seenBy(copy, people, 'a')]).toEqual([0, null]);
    expect(await steppedOn(copy, 0, 3, [putting('a', document('a', 2)), putting('c', document('c', 2))])).toBe(true);
    expect([await copy.checkpoint('people'), await engine.checkpoint('people')]).toEqual([3, 5]);
    expect(await foundIds(engine, { team: 'red' })).toEqual(['a', 'b']);
    expect(await engine.get(people, 'a')).toEqual(document('a', 1));
    expect(await seenBy(copy, people, 'a')).toEqual(document('a', 2));
    expect(await engine.apply('people', 5, 6, [putting('b', null)])).toBe(true);
    expect(await engine.count(people, {})).toBe(1);
  },

  'a copy sees of other models what serves': async ({ engine }) => {
    const { copy } = await begun(engine);
    expect(await seenBy(copy, places, 'p')).toEqual({ id: 'p' });
    expect(await copy.checkpoint('places')).toBe(0);
    await engine.apply('places', 0, 2, []);
    expect(await copy.checkpoint('places')).toBe(2);
  },

  'a copy is written like a model: of two who take a step one does': async ({ engine }) => {
    const { copy } = await begun(engine);
    const answers = await Promise.all([1, 2, 3].map(() => steppedOn(copy, 0, 2, [putting('x', document('x', 1))])));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await seenBy(copy, people, 'x')).toEqual(document('x', 1));
    expect(await steppedOn(copy, 0, 9, [])).toBe(false);
  },

  'a copy serves from the switch on, with all that it holds and nothing else': async ({ engine }) => {
    const { copy, switchOver } = await begun(engine);
    await steppedOn(copy, 0, 5, [putting('a', document('a', 2)), putting('c', document('c', 2))]);
    expect(await switchOver()).toBe(true);
    expect(await foundIds(engine, { team: 'red' })).toEqual(['a', 'c']);
    expect([await engine.get(people, 'a'), await engine.get(people, 'b'), await engine.get(places, 'p')]).toEqual([document('a', 2), null, { id: 'p' }]);
    expect(await engine.checkpoint('people')).toBe(5);
    expect(await engine.apply('people', 5, 8, [putting('d', document('d', 3)), putting('a', null)])).toBe(true);
    expect(await foundIds(engine, {})).toEqual(['c', 'd']);
  },

  'a copy that lies behind is not switched to': async ({ engine }) => {
    const { copy, switchOver } = await begun(engine);
    await steppedOn(copy, 0, 4, [putting('c', document('c', 2))]);
    expect(await switchOver()).toBe(false);
    expect(await foundIds(engine, {})).toEqual(['a', 'b']);
    await steppedOn(copy, 4, 5, []);
    expect(await switchOver()).toBe(true);
    expect(await foundIds(engine, {})).toEqual(['c']);
  },

  'a copy that is ahead takes the model along, and those who wait for it': async ({ engine }) => {
    const { copy, switchOver } = await begun(engine);
    const waiting = engine.reached('people', 9, soon);
    await steppedOn(copy, 0, 9, []);
    expect(await switchOver()).toBe(true);
    expect(await waiting).toBe(true);
    expect(await engine.apply('people', 5, 9, [])).toBe(false);
  },

  'a model may be built anew again and again, and its documents are found by its indexes each time': async ({ engine, reopen }) => {
    let current = engine;
    for (let round = 1; round <= 3; round += 1) {
      const at = await current.checkpoint('people');
      const { copy, switchOver } = await current.rebuild('people', [people]);
      await steppedOn(copy, 0, at + 1, [putting('a', { id: 'a', team: `round ${round}`, age: round })]);
      expect(await switchOver()).toBe(true);
      current = (await reopen?.()) ?? current;
      expect(await foundIds(current, { team: `round ${round}` })).toEqual(['a']);
    }
  },

  'a copy that is abandoned leaves nothing behind': async ({ engine }) => {
    const { copy, abandon } = await begun(engine);
    await steppedOn(copy, 0, 5, [putting('c', document('c', 2))]);
    await abandon();
    expect(await foundIds(engine, {})).toEqual(['a', 'b']);
    const again = await engine.rebuild('people', [people]);
    expect([await again.copy.checkpoint('people'), await seenBy(again.copy, people, 'c')]).toEqual([0, null]);
  },

  'of two rebuilds of a model the one begun last goes on': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    const first = await begun(engine);
    const second = await other.rebuild('people', [people]);
    await expect(steppedOn(first.copy, 0, 5, [putting('first', {})])).rejects.toThrow(RebuildSuperseded);
    await expect(first.switchOver()).rejects.toThrow(RebuildSuperseded);
    await first.abandon();
    await steppedOn(second.copy, 0, 5, [putting('second', { id: 'second' })]);
    expect(await second.switchOver()).toBe(true);
    expect(await engine.reached('people', 5, soon)).toBe(true);
    expect(await foundIds(engine, {})).toEqual(['second']);
  },

  'a process that only reads sees the copy once it has waited for a position, and never anything in between': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    const { copy, switchOver } = await begun(engine);
    await steppedOn(copy, 0, 5, [putting('a', document('a', 2)), putting('c', document('c', 2))]);
    const seen = new Set<string>();
    let over = false;
    const reading = (async () => {
      while (!over) seen.add((await foundIds(other, {})).join());
    })();
    await switchOver();
    expect(await other.reached('people', 5, soon)).toBe(true);
    expect(await foundIds(other, {})).toEqual(['a', 'c']);
    over = true;
    await reading;
    expect([...seen].filter((ids) => ids !== 'a,b' && ids !== 'a,c')).toEqual([]);
  },

  'what a writer has read before a rebuild it does not write after it': async ({ engine }) => {
    const writer = engine.writer();
    expect(await steppedOn(writer, 0, 1, [putting('a', document('a', 1))])).toBe(true);
    const read = await seenBy(writer, people, 'a');
    const { copy, switchOver } = await engine.rebuild('people', [people]);
    await steppedOn(copy, 0, 1, [putting('a', document('a', 100))]);
    expect(await switchOver()).toBe(true);
    expect(await steppedOn(writer, 1, 2, [putting('a', { ...read, n: 2 })])).toBe(false);
    expect(await writer.checkpoint('people')).toBe(1);
    expect(await seenBy(writer, people, 'a')).toEqual(document('a', 100));
    expect(await steppedOn(writer, 1, 2, [putting('a', document('a', 101))])).toBe(true);
    expect(await engine.get(people, 'a')).toEqual(document('a', 101));
  },

  'whatever steps are taken before and during a rebuild, what serves is the fold of all of them': async ({ engine }) => {
    const step = fc.record({ on: fc.constantFrom('engine', 'copy', 'switch'), id: fc.constantFrom('a', 'b', 'c'), gone: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await engine.reset('people', [people]);
        const history = steps.map(({ id, gone }, index) => putting(id, gone ? null : { id, position: index + 1 }));
        const foldTo = (position: number): unknown[] => [...new Map(history.slice(0, position).map((change) => [change.id, change.document])).values()].filter((one) => one !== null);
        const rebuild = await engine.rebuild('people', [people]);
        let switched = false;
        for (const { on } of steps) {
          if (on === 'switch' && !switched) switched = await rebuild.switchOver();
          const writer = on === 'engine' || switched ? engine.writer() : rebuild.copy;
          const at = await writer.checkpoint('people');
          await steppedOn(writer, at, at + 1, history.slice(at, at + 1));
          const found = await engine.find(people, { where: {}, limit: 10 });
          expect(new Set(found)).toEqual(new Set(foldTo(await engine.checkpoint('people'))));
        }
        if (!switched) await rebuild.abandon();
      }),
      { numRuns: 10 },
    );
  },
};
