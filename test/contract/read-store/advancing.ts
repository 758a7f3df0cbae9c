import fc from 'fast-check';
import { expect } from 'vitest';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { project, projectTogether } from '#libs/projections/project.ts';
import { type Effect, further, type Projection } from '#libs/projections/projection.ts';
import { rememberingWrites } from '#libs/projections/remembering.ts';
import type { ModelWriter, ReadStore } from '#libs/read-store/port.ts';
import { type Cases, needed } from '../harness.ts';
import type { OpenedReadStore } from './opened.ts';
import { collections, people, places, putting } from './people.ts';

const soon = 20_000;
const models = ['people', 'places'];
const updates = (n: number) => [{ model: 'people', changes: [putting('a', { n })] }, { model: 'places', changes: [putting('p', { n }, places)] }, { model: 'others', changes: [] }];
const positions = (reads: ReadStore): Promise<number[]> => Promise.all(models.map((model) => reads.checkpoint(model)));

type Tally = { id: string; heard: number[] };
const hear = ({ position, stream }: RecordedEvent) => (tally: Tally | null): Tally => ({ id: stream, heard: [...(tally?.heard ?? []), position] });
/** Each person hears of what is told of them, and so does the house that they live in. */
const tallies = [
  {
    model: 'people',
    collection: collections[0]!,
    on: {
      Begun: (event: RecordedEvent): Effect<Tally> => ({ id: event.stream, begins: true, evolve: hear(event) }),
      GoneOn: (event: RecordedEvent): Effect<Tally> => ({ id: event.stream, evolve: hear(event) }),
      Ended: ({ stream }: RecordedEvent): Effect<Tally> => ({ id: stream, evolve: () => null }),
    },
  },
  { model: 'places', collection: collections[1]!, on: {}, beside: { GoneOn: (event: RecordedEvent) => further<Tally>(collections[1]!, 'house', (tally) => ({ ...hear(event)(tally), id: 'house' })) } },
] as unknown as readonly Projection[];

/** A story of the person `a`, of the person `b`, and so on, told in turns. */
const logs = fc.array(fc.record({ stream: fc.constantFrom('a', 'b', 'c'), ends: fc.boolean() }), { minLength: 1, maxLength: 25 }).map((told) => {
  const alive = new Set<string>();
  return told.map(({ stream, ends }, index) => {
    const type = alive.has(stream) ? (ends ? 'Ended' : 'GoneOn') : 'Begun';
    if (type === 'Ended') alive.delete(stream);
    else alive.add(stream);
    return { position: index + 1, stream, type } as unknown as RecordedEvent;
  });
});

const everything = (reads: ReadStore): Promise<unknown> => Promise.all([people, places].map((name) => reads.find(name, { where: {}, limit: 100 })));

/** Goes on from where it believes that the models are, by so many events, or as many as there are. */
const follower = (writer: ModelWriter, log: readonly RecordedEvent[]) => {
  let after = 0;
  return async (size = Infinity): Promise<void> => {
    const events = log.filter(({ position }) => position > after).slice(0, size);
    if (events.length === 0) return;
    if (!(await projectTogether(writer, tallies, { after, events }))) {
      for (const one of tallies) if (!(await project(writer, one, { after, events }))) await project(writer, one, { after: 0, events: log.slice(0, events.at(-1)!.position) });
    }
    after = events.at(-1)!.position;
  };
};

export const advancing: Cases<OpenedReadStore> = {
  'several models are written together when all of them are where they are expected': async ({ engine }) => {
    const writer = engine.writer();
    expect(await writer.advance(0, 5, updates(1))).toBe(true);
    expect(await writer.advance(5, 9, updates(2))).toBe(true);
    expect(await Promise.all(['people', 'places', 'others'].map((model) => engine.checkpoint(model)))).toEqual([9, 9, 9]);
    expect([await engine.get(places, 'p'), (await writer.held(people, 'a')).document]).toEqual([{ n: 2 }, { n: 2 }]);
    expect(await engine.reached('others', 9, soon)).toBe(true);
  },

  'of several models none is moved when one is elsewhere': async ({ engine }) => {
    await engine.apply('places', 0, 3, []);
    expect(await engine.writer().advance(0, 5, updates(1))).toBe(false);
    expect(await positions(engine)).toEqual([0, 3]);
  },

  'a writer that does not know where the models are moves none, and writes nothing': async ({ engine }) => {
    const writer = engine.writer();
    expect(await writer.advance(4, 9, updates(1))).toBe(false);
    expect([await positions(engine), await engine.get(people, 'a'), await engine.get(places, 'p')]).toEqual([[0, 0], null, null]);
    expect(await writer.advance(0, 4, updates(1))).toBe(true);
  },

  'a writer that is ahead of a model that was emptied meanwhile leaves it empty': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    const writer = engine.writer();
    expect(await writer.advance(0, 5, updates(1))).toBe(true);
    await other.reset('people', [people]);
    expect(await writer.advance(5, 9, updates(2))).toBe(false);
    expect([await positions(other), await other.get(people, 'a')]).toEqual([[0, 5], null]);
    expect([await writer.checkpoint('people'), (await writer.held(people, 'a')).document]).toEqual([0, null]);
  },

  'of two writers that take the same step one does': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    const answers = await Promise.all([engine, other].map((one) => one.writer().advance(0, 5, updates(1))));
    expect(answers.toSorted()).toEqual([false, true]);
    expect([await positions(engine), await engine.get(people, 'a')]).toEqual([[5, 5], { n: 1 }]);
  },

  'a document tells a writer what is in it already': async ({ engine }) => {
    await engine.writer().advance(0, 5, updates(1));
    const { document, at } = await engine.writer().held(people, 'a');
    expect(document).toEqual({ n: 1 });
    expect([0, 5]).toContain(at);
    expect(await engine.writer().held(people, 'not there')).toEqual({ document: null, at: 0 });
  },

  'what a refused step has written already is not folded in again': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    const log = ['Begun', 'GoneOn', 'GoneOn', 'GoneOn', 'GoneOn'].map((type, index) => ({ position: index + 1, stream: 'a', type }) as unknown as RecordedEvent);
    const late = engine.writer();
    await late.checkpoint('people');
    const isDone = await projectTogether(other.writer(), tallies, { after: 0, events: log.slice(0, 3) });
    const isLateDone = await projectTogether(late, tallies, { after: 0, events: log });
    expect([isDone, isLateDone]).toEqual([true, false]);
    for (const one of tallies) await project(late, one, { after: 0, events: log });
    expect(await everything(other)).toEqual([[{ id: 'a', heard: [1, 2, 3, 4, 5] }], [{ id: 'house', heard: [2, 3, 4, 5] }]]);
  },

  'whoever projects, however far each believes to be, and whatever is emptied: what comes of it is the fold of the log': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    const happening = fc.oneof(
      { weight: 5, arbitrary: fc.record({ who: fc.nat({ max: 3 }), size: fc.integer({ min: 1, max: 5 }) }) },
      { weight: 1, arbitrary: fc.record({ emptied: fc.nat({ max: 1 }) }) },
    );
    await fc.assert(
      fc.asyncProperty(logs, fc.array(fc.uniqueArray(happening, { minLength: 1, maxLength: 2, selector: (now) => ('who' in now ? now.who : 'emptied') }), { maxLength: 8 }), async (log, happenings) => {
        for (const { model, collection } of tallies) await engine.reset(model, [collection.name]);
        const followers = [engine, engine, other, other].map((reads, index) => follower(index % 2 === 0 ? rememberingWrites(reads.writer()) : reads.writer(), log));
        for (const atOnce of happenings) {
          await Promise.all(atOnce.map((now) => ('who' in now ? followers[now.who]!(now.size) : engine.reset(tallies[now.emptied]!.model, [tallies[now.emptied]!.collection.name]))));
        }
        for (const one of tallies) await project(engine.writer(), one, { after: 0, events: log });
        const found = await everything(engine);
        for (const { model, collection } of tallies) await engine.reset(model, [collection.name]);
        for (const one of tallies) await project(engine.writer(), one, { after: 0, events: log });
        expect(found).toEqual(await everything(engine));
      }),
      { numRuns: 15 },
    );
  },
};
