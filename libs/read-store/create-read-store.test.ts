import { describe, expect, it } from 'vitest';
import type { Document, DocumentEngine, StoredDocument } from './port.ts';
import { createReadStore, withCheckpoints } from './create-read-store.ts';

const people = { name: 'people', model: 'people', indexes: [['team']] };
const person = { id: 'a', team: 'red' };

/** Documents in memory. Each query of people runs `duringQuery` first. */
const openMemoryEngine = () => {
  const stored = new Map<string, StoredDocument>();
  const keyOf = (one: Omit<StoredDocument, 'document' | 'position'>): string =>
    `${one.collection}@${one.generation}/${one.id}`;
  const hooks = { duringQuery: async (): Promise<void> => undefined };
  const documentsIn = (collection: string, generation: string): StoredDocument[] =>
    [...stored.values()].filter((one) => one.collection === collection && one.generation === generation);
  const documents = async (collection: string, generation: string): Promise<Document[]> => {
    await hooks.duringQuery();
    return documentsIn(collection, generation).flatMap(({ document }) => (document ? [document] : []));
  };
  const engine = {
    read: async (key) => {
      if (key.collection === people.name) await hooks.duringQuery();
      return stored.get(keyOf(key)) ?? { document: null, position: 0 };
    },
    write: async (all) => all.forEach((one) => stored.set(keyOf(one), one)),
    replace: async (one) => stored.set(keyOf(one), one).size > 0,
    find: documents,
    count: async (collection, generation) => (await documents(collection, generation)).length,
    createIndexes: async () => undefined,
    dropGeneration: async (collection, generation) =>
      documentsIn(collection, generation).forEach((one) => stored.delete(keyOf(one))),
    close: async () => undefined,
  } as Partial<DocumentEngine> as DocumentEngine;
  return { engine, hooks };
};

describe('A slow query whose generation is replaced and removed', () => {
  const cases = {
    get: {
      runQuery: (store: ReturnType<typeof createReadStore>): Promise<unknown> => store.get('people', 'a'),
      found: person,
    },
    find: { runQuery: (store) => store.find('people', { where: {}, limit: 9 }), found: [person] },
    count: { runQuery: (store) => store.count('people', {}), found: 1 },
  } satisfies Record<
    string,
    { runQuery: (store: ReturnType<typeof createReadStore>) => Promise<unknown>; found: unknown }
  >;

  it.each(Object.entries(cases))('is repeated: %s', async (_, { runQuery, found }) => {
    const { engine, hooks } = openMemoryEngine();
    const clock = { now: 1 };
    const open = () => createReadStore(engine, withCheckpoints([people]), () => clock.now);
    const [reader, rebuilder] = [open(), open()];
    await reader.write([{ collection: 'people', generation: '', id: 'a', position: 1, document: person }]);
    expect(await runQuery(reader)).toEqual(found);
    hooks.duringQuery = async () => {
      hooks.duringQuery = async () => undefined;
      const generation = await rebuilder.beginRebuild('people');
      await rebuilder.write([{ collection: 'people', generation, id: 'a', position: 1, document: person }]);
      await rebuilder.switchOver('people', { generation, position: 1 });
      await engine.dropGeneration('people', '');
      clock.now += 1_000;
    };
    expect(await runQuery(reader)).toEqual(found);
  });
});
