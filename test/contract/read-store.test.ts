import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Collection, Query } from '#libs/read-store/port.ts';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';
import { findSql } from '#libs/read-store/sqlite-query.ts';
import { openedIn } from './folder.ts';
import { describeReadStoreContract } from './read-store.contract.ts';
import { collections, people } from './read-store/people.ts';

const open = (wanted: readonly Collection[]) => openedIn((folder) => openSqliteReadStore(join(folder, 'read.db'), wanted));

describeReadStoreContract('SQLite', open);

describe('the read store in SQLite', () => {
  const planOf = async (query: Query): Promise<string> => {
    const { folder, close } = await open(collections);
    const database = new DatabaseSync(join(folder, 'read.db'));
    const { sql, parameters } = findSql(people, query);
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
  ])('finds by %s through the index', async (_, query) => {
    expect(await planOf(query)).toMatch(/^SEARCH documents_people USING INDEX/);
  });

  it.each([true, false])('reads a sorted page off the index without sorting (descending: %s)', async (descending) => {
    expect(await planOf({ where: { team: 'red' }, sort: { by: 'age', descending }, limit: 20, skip: 40 })).toMatch(/^SEARCH documents_people USING INDEX [^;]+$/);
  });

  it('keeps collections apart whose names differ in a quote, and indexes whose fields differ in a separator', async () => {
    const names = ['a', 'a"', "a'", 'a b'];
    const { engine, close } = await open(names.map((name) => ({ name, indexes: [['name'], ['x_y'], ['x', 'y'], ["it's"]] })));
    await engine.apply('all', 0, 1, names.map((name) => ({ collection: name, id: '1', document: { name } })));
    for (const name of names) expect(await engine.find(name, { where: { name }, limit: 10 })).toEqual([{ name }]);
    await close();
  });

  it('has each index once after a rebuild, and after opening again', async () => {
    const { engine, folder, reopen, close } = await open(collections);
    const indexes = (): unknown[] => {
      const database = new DatabaseSync(join(folder, 'read.db'));
      const found = database.prepare(`SELECT tbl_name, substr(sql, instr(sql, ' ON ')) AS place FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1, 2`).all();
      database.close();
      return found;
    };
    const before = indexes();
    const rebuild = await engine.rebuild('people', collections.map(({ name }) => name));
    expect(indexes()).toHaveLength(2 * before.length);
    await rebuild.switchOver();
    expect(indexes()).toEqual(before);
    await reopen();
    expect(indexes()).toEqual(before);
    await close();
  });

  it('leaves nothing of a step behind that fails halfway', async () => {
    const { engine, close } = await open(collections);
    const change = (collection: string) => ({ collection, id: '1', document: {} });
    await expect(engine.apply('people', 0, 1, [change(people), change('nowhere')])).rejects.toThrow('no such table');
    expect([await engine.get(people, '1'), await engine.checkpoint('people')]).toEqual([null, 0]);
    expect(await engine.apply('people', 0, 1, [change(people)])).toBe(true);
    await close();
  });

  it('refuses a path with a double quote rather than search another field', () => {
    expect(() => findSql(people, { where: { 'a"b': 1 }, limit: 1 })).toThrow(RangeError);
  });
});
