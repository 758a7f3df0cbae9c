import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Collection, Query } from '#libs/read-store/port.ts';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';
import { findSql } from '#libs/read-store/sqlite-query.ts';
import { openInTemporaryFolder } from '../support/contract/temporary-folder.ts';
import { describeReadStoreContract } from './read-store.contract.ts';
import { collections, people } from '../support/contract/read-store-documents.ts';

const open = (wanted: readonly Collection[]) =>
  openInTemporaryFolder((folder) => openSqliteReadStore(join(folder, 'read.db'), wanted));

describeReadStoreContract('SQLite', open);

describe('The read store in SQLite', () => {
  const planOf = async (query: Query): Promise<string> => {
    const { folder, close } = await open(collections);
    const database = new DatabaseSync(join(folder, 'read.db'));
    const { sql, parameters } = findSql(people, '', query);
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    database.close();
    await close();
    return plan.map(({ detail }) => String(detail)).join('; ');
  };

  it.each<[string, Query]>([
    ['a text', { where: { team: 'red' }, limit: 10 }],
    ['a number within', { where: { 'address.city': 5 }, limit: 10 }],
    ['a boolean', { where: { name: true }, limit: 10 }],
    ['nothing', { where: { team: null }, limit: 10 }],
  ])('uses the index to find %s', async (_, query) => {
    expect(await planOf(query)).toMatch(/^SEARCH collection_people USING INDEX/);
  });

  it.each([true, false])('reads a sorted page from the index without sorting (descending: %s)', async (descending) => {
    expect(await planOf({ where: { team: 'red' }, sort: { by: 'age', descending }, limit: 20, skip: 40 })).toMatch(
      /^SEARCH collection_people USING INDEX [^;]+$/,
    );
  });

  it('separates collections whose names differ in a quote, and indexes whose fields differ in a separator', async () => {
    const names = ['a', 'a"', "a'", 'a b'];
    const { engine, close } = await open(
      names.map((name) => ({ name, model: 'all', indexes: [['name'], ['x_y'], ['x', 'y'], ["it's"]] })),
    );
    await engine.write(
      names.map((name) => ({ collection: name, generation: '', id: '1', position: 1, document: { name } })),
    );
    for (const name of names) expect(await engine.find(name, { where: { name }, limit: 10 })).toEqual([{ name }]);
    await close();
  });

  it('writes either all documents of a batch or none', async () => {
    const { engine, close } = await open(collections);
    const written = (collection: string) => ({ collection, generation: '', id: '1', position: 1, document: {} });
    await expect(engine.write([written(people), written('nowhere')])).rejects.toThrow('no such table');
    expect(await engine.get(people, '1')).toBe(null);
    await engine.write([written(people)]);
    expect(await engine.get(people, '1')).toEqual({});
    await close();
  });

  it('lets the process go on while it waits for the lock of another process', async () => {
    const { engine, folder, close } = await open(collections);
    const other = new DatabaseSync(join(folder, 'read.db'));
    other.exec('BEGIN IMMEDIATE');
    const writing = engine.write([{ collection: people, generation: '', id: '1', position: 1, document: {} }]);
    await setImmediate();
    other.exec('COMMIT');
    other.close();
    await writing;
    expect(await engine.get(people, '1')).toEqual({});
    await close();
  });

  it('lets the process go on while it waits for that lock to remove a generation', async () => {
    const { engine, folder, close } = await open(collections);
    const key = { collection: people, generation: 'abandoned', id: '1' };
    await engine.write([{ ...key, position: 1, document: {} }]);
    const other = new DatabaseSync(join(folder, 'read.db'));
    other.exec('BEGIN IMMEDIATE');
    const removing = engine.abandonRebuild('people', key.generation);
    await setImmediate();
    other.exec('COMMIT');
    other.close();
    await removing;
    expect((await engine.read(key)).document).toBe(null);
    await close();
  });

  it('rejects a path with a double quote', () => {
    expect(() => findSql(people, '', { where: { 'a"b': 1 }, limit: 1 })).toThrow(RangeError);
  });
});
