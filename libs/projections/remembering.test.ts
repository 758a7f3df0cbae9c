import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import type { Document, ReadStore } from '#libs/read-store/port.ts';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';
import { projections } from './all.ts';
import { catchUp } from './catch-up.ts';
import { project, projectTogether } from './project.ts';
import { collectionsOf } from './projection.ts';
import { rememberingWrites } from './remembering.ts';
import { logOf, stories } from './testing/stories.ts';

const model = 'people';
const putting = (id: string, document: Document | null) => ({ collection: model, id, document });
const together = (...changes: ReturnType<typeof putting>[]) => [{ model, changes }];

let folder: string;
let store: ReadStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-remembering-'));
  store = openSqliteReadStore(join(folder, 'reads.db'), [{ name: model, indexes: [] }, ...projections.flatMap(collectionsOf)]);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A store that notes what is read of it, and fails when it is told to. */
const watched = (reads: ReadStore) => {
  const asked: string[] = [];
  const trouble: { after?: Error } = {};
  const seen: ReadStore = {
    ...reads,
    get: (collection, id) => {
      asked.push(id);
      return reads.get(collection, id);
    },
    applyTogether: async (...given) => {
      const taken = await reads.applyTogether(...given);
      if (trouble.after) throw trouble.after;
      return taken;
    },
  };
  return { seen, asked, trouble };
};

describe('Who projects', () => {
  it('does not read what it wrote itself, be it removed or there', async () => {
    const { seen, asked } = watched(store);
    const reads = rememberingWrites(seen);
    await reads.applyTogether(0, 1, together(putting('a', { n: 1 }), putting('b', null)));
    expect([await reads.get(model, 'a'), await reads.get(model, 'b'), await reads.get(model, 'c')]).toEqual([{ n: 1 }, null, null]);
    expect(asked).toEqual(['c']);
  });

  /** What makes the projector look again, each with somebody else's step before it. */
  const lookAgain: Record<string, (reads: ReadStore, trouble: { after?: Error }) => Promise<unknown>> = {
    'a step that does not begin where it stands': (reads) => reads.applyTogether(1, 3, together(putting('a', { n: 3 }))),
    'a step that was taken, and the answer lost': async (reads, trouble) => {
      trouble.after = new Error('the connection is gone');
      await expect(reads.applyTogether(2, 3, together(putting('b', { n: 3 })))).rejects.toThrow('gone');
    },
    'a step of a model by itself': (reads) => reads.apply(model, 2, 3, []),
    'a look at where a model stands': (reads) => reads.checkpoint(model),
  };
  it.each(Object.entries(lookAgain))('reads again after %s', async (_, happens) => {
    const { seen, trouble } = watched(store);
    const reads = rememberingWrites(seen);
    await reads.applyTogether(0, 1, together(putting('a', { n: 1 })));
    await store.apply(model, 1, 2, [putting('a', { n: 2 })]);
    await happens(reads, trouble);
    expect(await reads.get(model, 'a')).toEqual({ n: 2 });
  });

  const logs = fc.tuple(stories, fc.array(fc.nat({ max: 100 }), { maxLength: 60 })).map(([told, picks]) => logOf(told, picks));
  const storeOf = (log: readonly RecordedEvent[]) => ({ readAll: async (after, limit) => log.filter(({ position }) => position > after).slice(0, limit) }) satisfies Partial<EventStore> as unknown as EventStore;
  const namesOf = (one: (typeof projections)[number]): string[] => collectionsOf(one).map(({ name }) => name);
  const everything = async (): Promise<unknown> => Object.fromEntries(await Promise.all(projections.flatMap(namesOf).map(async (name) => [name, await store.find(name, { where: {}, limit: 10_000 })])));
  const forget = async (): Promise<void> => {
    for (const one of projections) await store.reset(one.model, namesOf(one));
  };
  /** A projector that follows the log by itself, as the service's does. */
  const follower = (reads: ReadStore, log: readonly RecordedEvent[]) => {
    let after = 0;
    return async (size: number): Promise<void> => {
      const batch = { after, events: log.filter(({ position }) => position > after).slice(0, size) };
      if (batch.events.length === 0) return;
      if (!(await projectTogether(reads, projections, batch))) for (const one of projections) if (!(await project(reads, one, batch))) await catchUp(storeOf(log), reads, [one]);
      after = batch.events.at(-1)!.position;
    };
  };

  it('comes to the same as one that remembers nothing, whoever else projects and whatever is emptied meanwhile', async () => {
    const happening = fc.oneof(
      { weight: 4, arbitrary: fc.record({ who: fc.constantFrom('one' as const, 'other' as const, 'plain' as const), size: fc.integer({ min: 1, max: 7 }) }) },
      { weight: 1, arbitrary: fc.record({ emptied: fc.nat({ max: projections.length - 1 }) }) },
    );
    await fc.assert(
      fc.asyncProperty(logs, fc.array(happening, { maxLength: 25 }), async (log, happenings) => {
        await forget();
        await catchUp(storeOf(log), store, projections);
        const expected = await everything();
        await forget();
        const followers = { one: follower(rememberingWrites(store), log), other: follower(rememberingWrites(store), log), plain: follower(store, log) };
        for (const now of happenings) {
          if ('who' in now) await followers[now.who](now.size);
          else await store.reset(projections[now.emptied]!.model, namesOf(projections[now.emptied]!));
        }
        for (let position = 0; position < log.length; position += 7) await followers.one(7);
        await catchUp(storeOf(log), store, projections);
        expect(await everything()).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});
