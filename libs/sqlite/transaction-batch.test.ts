import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SqliteDatabase, openDatabase } from './database.ts';

let database: SqliteDatabase;
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turns-'));
  file = join(folder, 'turns.db');
  database = openDatabase(file, 'normal');
  database.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)');
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true, force: true });
});

const insertRow = (n: number) => () => database.run('INSERT INTO t VALUES (?)', n);
const readRows = () => database.all('SELECT n FROM t ORDER BY n').map(({ n }) => n);
const versionSeenBy = (other: SqliteDatabase) => Number(other.get('PRAGMA data_version')!.data_version);

describe('work that is done together', () => {
  it('shares one commit with all that comes in the same turn', async () => {
    const transactions: boolean[] = [];
    const other = openDatabase(file, 'normal');
    const before = versionSeenBy(other);
    const seen: number[] = [];
    await Promise.all(
      [1, 2, 3].map((n) =>
        database.batchedTransaction(() => {
          insertRow(n)();
          transactions.push(database.inTransaction());
          seen.push(versionSeenBy(other));
        }),
      ),
    );
    expect(transactions).toEqual([true, true, true]);
    expect(seen).toEqual([before, before, before]);
    expect(versionSeenBy(other)).not.toBe(before);
    expect(readRows()).toEqual([1, 2, 3]);
    other.close();
  });

  it('fails alone where one piece fails, and leaves the others done', async () => {
    const outcomes = await Promise.allSettled([
      database.batchedTransaction(insertRow(1)),
      database.batchedTransaction(insertRow(1)),
      database.batchedTransaction(insertRow(2)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(readRows()).toEqual([1, 2]);
  });

  it('is done before the file is closed', async () => {
    const waiting = database.batchedTransaction(insertRow(7));
    database.close();
    await waiting;
    database = openDatabase(file, 'normal');
    expect(readRows()).toEqual([7]);
  });
});
