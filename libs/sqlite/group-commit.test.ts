import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from './database.ts';
import { type GroupCommit, openGroupCommit } from './group-commit.ts';

const schema =
  'CREATE TABLE IF NOT EXISTS numbers (n INTEGER PRIMARY KEY, label TEXT NOT NULL) STRICT; ' +
  'CREATE TABLE IF NOT EXISTS second (n INTEGER) STRICT';
const insert = (n: unknown, label: unknown = 'x') => ({
  sql: 'INSERT INTO numbers VALUES (?, ?)',
  parameters: [n as number, label as string],
});

let folder: string;
let writer: GroupCommit;
const file = (): string => join(folder, 'numbers.db');
const readRows = (): unknown[] => {
  const database = openDatabase(file(), 'normal');
  const numbers = database.all('SELECT n FROM numbers ORDER BY n').map(({ n }) => n);
  database.close();
  return numbers;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'group-commit-'));
  writer = openGroupCommit(file(), schema);
});
afterEach(async () => {
  await writer.close();
  await rm(folder, { recursive: true, force: true });
});

describe('Tasks that share a commit', () => {
  it('are each committed or rolled back as a whole, independent of the others', async () => {
    const ends = await Promise.allSettled([
      writer.run([insert(1), insert(2)]),
      writer.run([insert(3), insert(1)]),
      writer.run([insert(4), insert('no number')]),
      writer.run([insert(5), { ...insert(6), sql: 'INSERT INTO nowhere VALUES (?, ?)' }]),
      writer.run([insert(7), { sql: 'UPDATE numbers SET label = ? WHERE n = ?', parameters: ['y', 99], changes: 1 }]),
      writer.run([insert(8)]),
    ]);
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value.isCommitted : 'rejected'))).toEqual([
      true,
      false,
      'rejected',
      'rejected',
      false,
      true,
    ]);
    expect(readRows()).toEqual([1, 2, 8]);
  });

  it('fail with the reason of the database', async () => {
    await expect(writer.run([{ sql: 'INSERT INTO nowhere VALUES (1)', parameters: [] }])).rejects.toThrow(
      'no such table: nowhere',
    );
  });

  it('all fail, with the reason, when an error rolls back the whole commit; later tasks are committed', async () => {
    const ends = await Promise.allSettled([
      writer.run([insert(1)]),
      writer.run([{ ...insert(1), sql: 'INSERT OR ROLLBACK INTO numbers VALUES (?, ?)' }]),
      writer.run([insert(2)]),
    ]);
    expect(ends.map((end) => (end.status === 'rejected' ? String(end.reason) : 'kept'))).toEqual(
      ends.map(() => expect.stringContaining('UNIQUE constraint failed')),
    );
    expect(await writer.run([insert(3)])).toMatchObject({ isCommitted: true });
    expect(readRows()).toEqual([3]);
  });

  it('return the rowid of their last row', async () => {
    expect(await writer.run([insert(40), insert(41)])).toMatchObject({ isCommitted: true, lastRowid: 41 });
  });

  it('fail alone when their parameters cannot be sent to the writer', async () => {
    const [before, invalid, after] = [insert(1), insert(2, () => 'no value of a database'), insert(3)].map((one) =>
      writer.run([one]),
    );
    await expect(invalid).rejects.toThrow('could not be cloned');
    expect(await Promise.all([before, after])).toMatchObject([{ isCommitted: true }, { isCommitted: true }]);
    expect(readRows()).toEqual([1, 3]);
  });

  it('are sent together if they were given in the same turn of the event loop', async () => {
    const send = vi.spyOn(Worker.prototype, 'postMessage');
    const tasks: Promise<unknown>[] = [];
    for (let n = 0; n < 50; n += 1) {
      tasks.push(writer.run([insert(n)]));
      await Promise.resolve();
    }
    await Promise.all(tasks);
    expect(send.mock.calls.map(([sent]) => (sent as unknown[]).length)).toEqual([50]);
    send.mockRestore();
  });

  it('are all committed in large numbers', async () => {
    const tasks = Array.from({ length: 5_000 }, (_, n) => writer.run([insert(n)]));
    expect((await Promise.all(tasks)).every(({ isCommitted }) => isCommitted)).toBe(true);
    expect(readRows()).toHaveLength(5_000);
  });
});

describe('A writer', () => {
  it('whose file is not a database rejects every task', async () => {
    const path = join(folder, 'letter.txt');
    await writeFile(path, 'Dear reader, this is no database. '.repeat(100));
    const broken = openGroupCommit(path, schema);
    await expect(broken.run([insert(1)])).rejects.toThrow('not a database');
    await expect(broken.run([insert(1)])).rejects.toThrow('not a database');
    await broken.close();
  });

  it('that is closing finishes pending tasks and rejects new ones', async () => {
    const pending = writer.run([insert(1)]);
    const closing = writer.close();
    await expect(writer.run([insert(2)])).rejects.toThrow('closed');
    await closing;
    expect(await pending).toMatchObject({ isCommitted: true });
    expect(readRows()).toEqual([1]);
  });
});
