import fc from 'fast-check';
import { expect } from 'vitest';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { catchUp, projectToEnd, openProjectionRunner } from '#libs/projections/catch-up.ts';
import type { Effect, Projection } from '#libs/projections/projection.ts';
import { rebuildReadModel } from '#libs/projections/rebuild.ts';
import { emptyReadModel } from '#libs/projections/testing/empty-read-model.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { type ContractCases, requireAbility } from '../../support/contract/describe-contract.ts';
import type { ReadStoreUnderTest } from '../../support/contract/read-store-under-test.ts';
import { collections, people, places } from '../../support/contract/read-store-documents.ts';

type Tally = { id: string; events: number[] };
const add =
  ({ position }: RecordedEvent, id: string) =>
  (tally: Tally | null): Tally => ({ id, events: [...(tally?.events ?? []), position] });
/** Each person counts the events of their own stream; one place counts the updates of all persons. */
const tallies = [
  {
    model: 'people',
    collection: collections[0]!,
    handlers: {
      TemplateCreated: (event: RecordedEvent): Effect<Tally> => ({
        id: event.stream,
        createsDocument: true,
        evolve: add(event, event.stream),
      }),
      TemplateVersioned: (event: RecordedEvent): Effect<Tally> => ({
        id: event.stream,
        evolve: add(event, event.stream),
      }),
      TemplateDeleted: ({ stream }: RecordedEvent): Effect<Tally> => ({ id: stream, evolve: () => null }),
    },
  },
  {
    model: 'places',
    collection: collections[1]!,
    handlers: {
      TemplateVersioned: (event: RecordedEvent): Effect<Tally> => ({ id: 'place', evolve: add(event, 'place') }),
    },
  },
] as unknown as readonly Projection[];

/** Events of a few persons, as template events. After a deletion a person gets a new stream. */
const logs = fc
  .array(fc.record({ person: fc.constantFrom('a', 'b', 'c'), dies: fc.boolean() }), { minLength: 1, maxLength: 20 })
  .map((lives) => {
    const ages = new Map<string, { life: number; isAlive: boolean }>();
    return lives.map(({ person, dies }, index) => {
      const { life, isAlive } = ages.get(person) ?? { life: 0, isAlive: false };
      const type = isAlive ? (dies ? 'TemplateDeleted' : 'TemplateVersioned') : 'TemplateCreated';
      const now = isAlive ? life : life + 1;
      ages.set(person, { life: now, isAlive: type !== 'TemplateDeleted' });
      return {
        id: `${index}`,
        revision: index,
        position: index + 1,
        stream: `${person}${now}`,
        type,
      } as unknown as RecordedEvent;
    });
  });

/** The expected documents, computed without a read store. */
const expectedDocuments = (eventLog: readonly RecordedEvent[]): Record<string, Tally[]> => {
  const documents = { people: new Map<string, Tally | null>(), places: new Map<string, Tally | null>() };
  for (const event of eventLog) {
    const { stream, type } = event;
    documents.people.set(
      stream,
      type === 'TemplateDeleted' ? null : add(event, stream)(documents.people.get(stream) ?? null),
    );
    if (type === 'TemplateVersioned')
      documents.places.set('place', add(event, 'place')(documents.places.get('place') ?? null));
  }
  const alive = (all: Map<string, Tally | null>): Tally[] =>
    [...all.values()].filter((one) => one !== null).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return { people: alive(documents.people), places: alive(documents.places) };
};

const storedDocuments = async (reads: ReadStore) => ({
  people: await reads.find(people, { where: {}, limit: 100 }),
  places: await reads.find(places, { where: {}, limit: 100 }),
});

class Crash extends Error {}
/** One batch of a projector: its size, and where the projector crashes. */
type Batch = { size: number; crash: 'never' | 'among the documents' | 'before the checkpoints' };
const batch: fc.Arbitrary<Batch> = fc.record({
  size: fc.integer({ min: 1, max: 6 }),
  crash: fc.constantFrom('never', 'never', 'among the documents', 'before the checkpoints'),
});

/** A projector that projects the event log to its end, and restarts from the checkpoints after each crash. */
const project = async (
  reads: ReadStore,
  eventLog: readonly RecordedEvent[],
  batches: readonly Batch[],
): Promise<void> => {
  const left = [...batches];
  let now: Batch = { size: 6, crash: 'never' };
  const crashing: ReadStore = {
    ...reads,
    write: async (documents) => {
      if (now.crash !== 'among the documents') return reads.write(documents);
      await reads.write(documents.slice(0, Math.floor(documents.length / 2)));
      throw new Crash();
    },
    moveCheckpoints: async (...given) => {
      if (now.crash === 'before the checkpoints') throw new Crash();
      return reads.moveCheckpoints(...given);
    },
  };
  const live = async (): Promise<void> => {
    const runner = await openProjectionRunner(crashing, tallies);
    for (let after = runner.position(); after < eventLog.length;) {
      now = left.shift() ?? { size: 6, crash: 'never' };
      const events = eventLog.slice(after, after + now.size);
      if (!(await runner.advance(after, events))) await projectToEnd(storeOf(eventLog), runner);
      after = events.at(-1)!.position;
    }
  };
  for (;;) {
    try {
      return await live();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
  }
};

const storeOf = (eventLog: readonly RecordedEvent[]) => ({
  readAll: async (after: number, limit: number) => eventLog.slice(after, after + limit),
});

/** The operations of a store, in an order that fast-check chooses. */
const scheduled = (reads: ReadStore, scheduler: fc.Scheduler): ReadStore => ({
  ...reads,
  read: scheduler.scheduleFunction(reads.read),
  write: scheduler.scheduleFunction(reads.write),
  servingGenerations: scheduler.scheduleFunction(reads.servingGenerations),
  moveCheckpoints: scheduler.scheduleFunction(reads.moveCheckpoints),
  requireShadow: scheduler.scheduleFunction(reads.requireShadow),
  switchOver: scheduler.scheduleFunction(reads.switchOver),
});

const race = async (engine: ReadStore, other: ReadStore, isRebuilt: boolean): Promise<void> => {
  const plan = fc.array(batch, { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), logs, plan, plan, async (scheduler, eventLog, ones, others) => {
      for (const { model } of tallies) await emptyReadModel(engine, model);
      const [first, second] = [scheduled(engine, scheduler), scheduled(other, scheduler)];
      const all = [project(first, eventLog, ones), project(second, eventLog, others)];
      if (isRebuilt) all.push(rebuildReadModel(storeOf(eventLog), first, tallies[0]!));
      await scheduler.waitFor(Promise.all(all));
      expect(await storedDocuments(engine)).toEqual(expectedDocuments(eventLog));
      expect(await Promise.all(tallies.map(({ model }) => engine.checkpoint(model)))).toEqual([
        eventLog.length,
        eventLog.length,
      ]);
    }),
    { numRuns: 12 },
  );
};

export const convergingCases: ContractCases<ReadStoreUnderTest> = {
  'two parallel projectors produce the correct documents, in any order and with any crashes': async (
    { engine, another },
    skip,
  ) => {
    await race(engine, await requireAbility(another, 'second instance', skip)(), false);
  },

  'two parallel projectors produce the correct documents during a rebuild': async ({ engine, another }, skip) => {
    await race(engine, await requireAbility(another, 'second instance', skip)(), true);
  },

  'a projector that another one has overtaken uses no outdated document': async ({ engine, another }, skip) => {
    const other = await requireAbility(another, 'second instance', skip)();
    const eventLog = [1, 2, 3, 4, 5].map(
      (position) =>
        ({
          id: `${position}`,
          position,
          stream: 'a',
          type: position === 1 ? 'TemplateCreated' : 'TemplateVersioned',
        }) as unknown as RecordedEvent,
    );
    const runner = await openProjectionRunner(engine, tallies);
    expect(await runner.advance(0, eventLog.slice(0, 2))).toBe(true);
    await catchUp(storeOf(eventLog.slice(0, 4)), other, tallies);
    await rebuildReadModel(storeOf(eventLog.slice(0, 4)), other, tallies[0]!);
    expect(await runner.advance(2, eventLog.slice(2, 3))).toBe(true);
    expect(await runner.advance(3, eventLog.slice(3))).toBe(true);
    expect(await storedDocuments(engine)).toEqual(expectedDocuments(eventLog));
  },

  'a projector uses no document of a replaced generation': async ({ engine, another }, skip) => {
    const other = await requireAbility(another, 'second instance', skip)();
    const event = (position: number) =>
      ({
        id: `${position}`,
        position,
        stream: 'a',
        type: position === 1 ? 'TemplateCreated' : 'TemplateVersioned',
      }) as unknown as RecordedEvent;
    const eventLog = [event(1), event(2), event(3)];
    const runner = await openProjectionRunner(engine, tallies);
    expect(await runner.advance(0, [event(1)])).toBe(true);
    const rebuilt = {
      ...tallies[0]!,
      handlers: {
        ...tallies[0]!.handlers,
        TemplateCreated: () => ({
          id: 'a',
          createsDocument: true as const,
          evolve: () => ({ id: 'a', events: ['rebuilt'] }),
        }),
      },
    };
    await rebuildReadModel(storeOf(eventLog.slice(0, 1)), other, rebuilt);
    if (!(await runner.advance(1, [event(2)]))) await projectToEnd(storeOf(eventLog.slice(0, 2)), runner);
    expect(await runner.advance(2, [event(3)])).toBe(true);
    expect(await engine.get(people, 'a')).toEqual({ id: 'a', events: ['rebuilt', 2, 3] });
  },
};
