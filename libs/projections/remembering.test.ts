import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import type { Document, ModelWriter, ReadStore } from '#libs/read-store/port.ts';
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

/** A writer that notes what is read through it, and fails when it is told to. */
const watched = (writer: ModelWriter) => {
  const asked: string[] = [];
  const trouble: { after?: Error } = {};
  const seen: ModelWriter = {
    ...writer,
    held: (collection, id) => {
      asked.push(id);
      return writer.held(collection, id);
    },
    advance: async (...given) => {
      const taken = await writer.advance(...given);
      if (trouble.after) throw trouble.after;
      return taken;
    },
  };
  return { seen, asked, trouble };
};

describe('Who projects', () => {
  it('does not read what it wrote itself, be it removed or there', async () => {
    const { seen, asked } = watched(store.writer());
    const writer = rememberingWrites(seen);
    await writer.advance(0, 1, together(putting('a', { n: 1 }), putting('b', null)));
    const held = await Promise.all(['a', 'b', 'c'].map((id) => writer.held(model, id)));
    expect(held.map(({ document }) => document)).toEqual([{ n: 1 }, null, null]);
    expect(asked).toEqual(['c']);
  });

  /** What makes the projector look again, each with somebody else's step before it. */
  const lookAgain: Record<string, (writer: ModelWriter, trouble: { after?: Error }) => Promise<unknown>> = {
    'a step that does not begin where it stands': (writer) => writer.advance(1, 3, together(putting('a', { n: 3 }))),
    'a step that was taken, and the answer lost': async (writer, trouble) => {
      trouble.after = new Error('the connection is gone');
      await expect(writer.advance(2, 3, together(putting('b', { n: 3 })))).rejects.toThrow('gone');
    },
    'a look at where a model stands': (writer) => writer.checkpoint(model),
  };
  it.each(Object.entries(lookAgain))('reads again after %s', async (_, happens) => {
    const { seen, trouble } = watched(store.writer());
    const writer = rememberingWrites(seen);
    await writer.advance(0, 1, together(putting('a', { n: 1 })));
    await store.apply(model, 1, 2, [putting('a', { n: 2 })]);
    await happens(writer, trouble);
    expect((await writer.held(model, 'a')).document).toEqual({ n: 2 });
  });

  const logs = fc.tuple(stories, fc.array(fc.nat({ max: 100 }), { maxLength: 60 })).map(([told, picks]) => logOf(told, picks));
  const storeOf = (log: readonly RecordedEvent[]) => ({ readAll: async (after, limit) => log.filter(({ position }) => position > after).slice(0, limit) }) satisfies Partial<EventStore> as unknown as EventStore;
  const namesOf = (one: (typeof projections)[number]): string[] => collectionsOf(one).map(({ name }) => name);
  const everything = async (): Promise<unknown> => Object.fromEntries(await Promise.all(projections.flatMap(namesOf).map(async (name) => [name, await store.find(name, { where: {}, limit: 10_000 })])));
  const forget = async (): Promise<void> => {
    for (const one of projections) await store.reset(one.model, namesOf(one));
  };
  /** A projector that follows the log by itself, as the service's does. */
  const follower = (writer: ModelWriter, log: readonly RecordedEvent[]) => {
    let after = 0;
    return async (size: number): Promise<void> => {
      const batch = { after, events: log.filter(({ position }) => position > after).slice(0, size) };
      if (batch.events.length === 0) return;
      if (!(await projectTogether(writer, projections, batch))) for (const one of projections) if (!(await project(writer, one, batch))) await catchUp(storeOf(log), writer, [one]);
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
        await catchUp(storeOf(log), store.writer(), projections);
        const expected = await everything();
        await forget();
        const followers = { one: follower(rememberingWrites(store.writer()), log), other: follower(rememberingWrites(store.writer()), log), plain: follower(store.writer(), log) };
        for (const now of happenings) {
          if ('who' in now) await followers[now.who](now.size);
          else await store.reset(projections[now.emptied]!.model, namesOf(projections[now.emptied]!));
        }
        for (let position = 0; position < log.length; position += 7) await followers.one(7);
        await catchUp(storeOf(log), store.writer(), projections);
        expect(await everything()).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});
