import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './database.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'database-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const openerScript = `
  import { workerData } from 'node:worker_threads';
  const { openDatabase } = await import(workerData.module);
  const { gate, file } = workerData;
  Atomics.wait(gate, 0, 0);
  openDatabase(file, 'full').close();
`;

/** Opens the file in many threads at nearly the same moment. Returns their errors. */
const openInThreads = async (file: string, threads: number): Promise<string[]> => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const module = new URL('./database.ts', import.meta.url).href;
  const workers = Array.from(
    { length: threads },
    () =>
      new Worker(new URL(`data:text/javascript,${encodeURIComponent(openerScript)}`), {
        workerData: { gate, file, module },
      }),
  );
  const ends = workers.map(
    (worker) =>
      new Promise<string>((resolve) =>
        worker.on('error', (error) => resolve(String(error))).on('exit', () => resolve('fine')),
      ),
  );
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('online', resolve))));
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  return (await Promise.all(ends)).filter((end) => end !== 'fine');
};

/** Opens the file, and sends a message each time that a statement fails because of a lock, then the journal mode. */
const lockedOutScript = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { DatabaseSync } from 'node:sqlite';
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    try {
      exec.call(this, sql);
    } catch (error) {
      parentPort.postMessage(error.message);
      throw error;
    }
  };
  const { openDatabase } = await import(workerData.module);
  const database = openDatabase(workerData.file, 'full');
  parentPort.postMessage(database.get('PRAGMA journal_mode').journal_mode);
  database.close();
`;

describe('A database file', () => {
  it('that another thread is creating is opened after a wait', async () => {
    const file = join(folder, 'new.db');
    const holder = new DatabaseSync(file);
    holder.exec('CREATE TABLE t (n INTEGER); BEGIN IMMEDIATE');
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(lockedOutScript)}`), {
      workerData: { file, module: new URL('./database.ts', import.meta.url).href },
    });
    const messages: string[] = [];
    const ended = new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
    worker.on('message', (message: string) => messages.push(message));
    worker.once('message', () => holder.exec('COMMIT'));
    await ended;
    expect([messages[0], messages.at(-1)]).toEqual(['database is locked', 'wal']);
    holder.close();
  });

  it('can be created by several threads at the same moment', async () => {
    for (let round = 0; round < 3; round += 1) expect(await openInThreads(join(folder, `${round}.db`), 4)).toEqual([]);
  });

  it('has no change of a transaction that throws', () => {
    const database = openDatabase(join(folder, 'a.db'), 'normal');
    database.exec('CREATE TABLE t (n INTEGER) STRICT');
    const broken = (): void =>
      database.transaction(() => {
        database.run('INSERT INTO t VALUES (1)');
        throw new Error('changed my mind');
      });
    expect(broken).toThrow('changed my mind');
    expect(database.all('SELECT * FROM t')).toEqual([]);
    expect(database.transaction(() => database.run('INSERT INTO t VALUES (2)'))).toBe(1);
    database.close();
  });

  it('can be closed twice', () => {
    const database = openDatabase(join(folder, 'a.db'), 'normal');
    database.close();
    expect(() => database.close()).not.toThrow();
  });

  it.each(['full', 'normal'] as const)('has the chosen durability: %s', (durability) => {
    const database = openDatabase(join(folder, 'a.db'), durability);
    expect(database.get('PRAGMA synchronous')).toEqual({ synchronous: durability === 'full' ? 2 : 1 });
    expect(database.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    database.close();
  });
});

describe('Emptying the write-ahead log', () => {
  it('does not change how long later statements wait for a lock', async () => {
    const file = join(folder, 'log.db');
    const database = openDatabase(file, 'full', 1234);
    database.exec('CREATE TABLE numbers (n INTEGER) STRICT');
    const timeout = (): unknown => database.get('PRAGMA busy_timeout')?.timeout;
    const reader = new DatabaseSync(file);
    reader.exec('BEGIN; SELECT * FROM numbers');
    database.run('INSERT INTO numbers VALUES (1)');
    expect([database.truncateWal(), timeout()]).toEqual([false, 1234]);
    reader.close();
    expect([database.truncateWal(), timeout()]).toEqual([true, 1234]);
    expect((await stat(`${file}-wal`)).size).toBe(0);
    database.close();
  });
});
