import { existsSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDamage, checkIntegrity, setAside } from './damage.ts';
import { openDatabase } from './database.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'damage-'));
  file = join(folder, 'some.db');
  const database = openDatabase(file, 'normal');
  database.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
  database.transaction(() => {
    for (let n = 0; n < 2_000; n += 1)
      database.run('INSERT INTO t VALUES (?, ?)', n, `a text of some length, the ${n}th of its kind`);
  });
  database.close();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const pageBytes = 4096;
const overwrite = async (at: number, length: number): Promise<void> => {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(length, 0x5a), 0, length, at);
  await handle.close();
};

describe('Damage to a database', () => {
  it.each([
    ['at its beginning', () => overwrite(0, 16)],
    ['in a page', () => overwrite(6 * pageBytes, pageBytes)],
    ['by truncation', async () => truncateSync(file, 5 * pageBytes)],
    ['by other content', async () => writeFileSync(file, 'no database')],
  ])('is found %s', async (_where, damage) => {
    expect([findDamage(file), checkIntegrity(file)]).toEqual([null, []]);
    await damage();
    expect(findDamage(file)).not.toBeNull();
    expect(checkIntegrity(file)).not.toEqual([]);
  });

  it('is not found in a missing or empty file', () => {
    expect([findDamage(join(folder, 'none.db')), checkIntegrity(join(folder, 'none.db'))]).toEqual([null, []]);
    writeFileSync(file, '');
    expect(findDamage(file)).toBeNull();
  });

  it('that a query finds is reported with the file name, and marked until the file is undamaged', async () => {
    await overwrite(6 * pageBytes, pageBytes);
    const database = openDatabase(file, 'normal');
    expect(() => database.all('SELECT sum(length(text)) FROM t')).toThrow(`${file}: database disk image is malformed`);
    database.close();
    expect(existsSync(`${file}.suspect`)).toBe(true);
    expect(findDamage(file)).not.toBeNull();
    expect(existsSync(`${file}.suspect`)).toBe(true);
    await rm(file);
    openDatabase(file, 'normal').close();
    expect([findDamage(file), existsSync(`${file}.suspect`)]).toEqual([null, false]);
  });

  it('is set aside with all files of the database', async () => {
    for (const ending of ['-wal', '-shm']) writeFileSync(file + ending, 'x');
    const name = setAside(file, new Date('2026-05-20T12:00:00.000Z'));
    expect(name).toBe(`${file}.damaged-2026-05-20T12-00-00.000Z`);
    expect((await readdir(folder)).toSorted()).toEqual(
      ['', '-shm', '-wal'].map((ending) => `some.db.damaged-2026-05-20T12-00-00.000Z${ending}`),
    );
  });
});
