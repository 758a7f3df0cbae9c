import { describe, expect, it } from 'vitest';
import type { Document, DocumentEngine, StoredDocument } from './port.ts';
import { createReadStore, withCheckpoints } from './create-read-store.ts';

const people = { name: 'people', model: 'people', indexes: [['team']] };
const person = { id: 'a', team: 'red' };

/** Documents in memory; each answer about people comes after `whileAsked`. */
const openMemoryEngine = () => {
  const stored = new Map<string, StoredDocument>();
  const keyOf = (one: Omit<StoredDocument, 'document' | 'position'>): string =>
    `${one.collection}@${one.generation}/${one.id}`;
  const at = { whileAsked: async (): Promise<void> => undefined };
  const within = (collection: string, generation: string): StoredDocument[] =>
    [...stored.values()].filter((one) => one.collection === collection && one.generation === generation);
  const documents = async (collection: string, generation: string): Promise<Document[]> => {
    await at.whileAsked();
    return within(collection, generation).flatMap(({ document }) => (document ? [document] : []));
  };
  const engine = {
    read: async (key) => {
      if (key.collection === people.name) await at.whileAsked();
      return stored.get(keyOf(key)) ?? { document: null, position: 0 };
    },
    write: async (all) => all.forEach((one) => stored.set(keyOf(one), one)),
    replace: async (one) => stored.set(keyOf(one), one).size > 0,
    find: documents,
    count: async (collection, generation) => (await documents(collection, generation)).length,
    createIndexes: async () => undefined,
    dropGeneration: async (collection, generation) =>
      within(collection, generation).forEach((one) => stored.delete(keyOf(one))),
    close: async () => undefined,
  } as Partial<DocumentEngine> as DocumentEngine;
  return { engine, at };
};

describe('A query whose server took so long that the generation it asked was replaced and removed', () => {
  const cases = {
    get: {
      ask: (store: ReturnType<typeof createReadStore>): Promise<unknown> => store.get('people', 'a'),
      found: person,
    },
    find: { ask: (store) => store.find('people', { where: {}, limit: 9 }), found: [person] },
    count: { ask: (store) => store.count('people', {}), found: 1 },
  } satisfies Record<string, { ask: (store: ReturnType<typeof createReadStore>) => Promise<unknown>; found: unknown }>;

  it.each(Object.entries(cases))('is asked again: %s', async (_, { ask, found }) => {
    const { engine, at } = openMemoryEngine();
    const clock = { now: 1 };
    const open = () => createReadStore(engine, withCheckpoints([people]), () => clock.now);
    const [reader, rebuilder] = [open(), open()];
    await reader.write([{ collection: 'people', generation: '', id: 'a', position: 1, document: person }]);
    expect(await ask(reader)).toEqual(found);
    at.whileAsked = async () => {
      at.whileAsked = async () => undefined;
      const generation = await rebuilder.beginRebuild('people');
      await rebuilder.write([{ collection: 'people', generation, id: 'a', position: 1, document: person }]);
      await rebuilder.switchOver('people', { generation, position: 1 });
      await engine.dropGeneration('people', '');
      clock.now += 1_000;
    };
    expect(await ask(reader)).toEqual(found);
  });
});
