import { hash, randomBytes } from 'node:crypto';
import {
  copyFile,
  type FileHandle,
  mkdir,
  open as openFile,
  readdir,
  readFile,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openFileBlobStore } from '#libs/blob-store/file.ts';
import { withSmallBlobs } from '#libs/blob-store/small-blobs.ts';
import { noStream, RevisionConflict } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { describeBlobStoreContract } from './blob-store.contract.ts';
import { newEvents } from '../support/contract/new-events.ts';
import { openInTemporaryFolder, temporaryFolder } from '../support/contract/temporary-folder.ts';
import { startProgram } from '../support/processes/other-process.ts';

const damageSmallBlob = (folder: string, sha256: string): boolean => {
  const database = new DatabaseSync(join(folder, 'log.db'));
  const { changes } = database
    .prepare(`UPDATE small_blobs SET bytes = CAST('damaged' AS BLOB) WHERE sha256 = ?`)
    .run(sha256);
  database.close();
  return changes === 1;
};

const damageFile = async (folder: string, sha256: string): Promise<void> => {
  const path = join(folder, sha256.slice(0, 2), sha256);
  const bytes = await readFile(path);
  bytes[0]! ^= 1;
  await writeFile(path, bytes);
};

const open = async () => {
  const opened = await openInTemporaryFolder(openFileBlobStore);
  return { ...opened, corrupt: (sha256: string) => damageFile(opened.folder, sha256) };
};

type Options = Parameters<typeof openSqliteEventStore>[1];

const openWithSmallBlobs = async (folder: string, options?: Options) => {
  const store = openSqliteEventStore(join(folder, 'log.db'), options);
  const blobs = withSmallBlobs(await openFileBlobStore(folder), store.smallBlobs);
  const close = async (): Promise<void> => {
    await blobs.close();
    await store.close();
  };
  return { ...blobs, store, close };
};

const openInEventLog = async (options?: Options) => {
  const opened = await openInTemporaryFolder((folder) => openWithSmallBlobs(folder, options));
  const corrupt = async (sha256: string): Promise<void> => {
    if (!damageSmallBlob(opened.folder, sha256)) await damageFile(opened.folder, sha256);
  };
  return { ...opened, corrupt };
};

describeBlobStoreContract('A folder', open);
describeBlobStoreContract('A folder, with small blobs in the event log,', () => openInEventLog());

describe('A small blob', () => {
  const bytes = Buffer.from('an input');
  const blob = { sha256: hash('sha256', bytes, 'hex'), bytes };

  it('is stored by the append of the event that names it', async () => {
    const { engine, reopen, close } = await openInEventLog();
    await engine.store.append('render-1', newEvents(1), noStream, [blob]);
    expect(await engine.get(blob.sha256)).toEqual(new Uint8Array(bytes));
    expect(Buffer.from(await (await reopen()).get(blob.sha256))).toEqual(bytes);
    await close();
  });

  it('is not stored by an append that fails', async () => {
    const { engine, close } = await openInEventLog();
    await engine.store.append('render-1', newEvents(1), noStream);
    await expect(engine.store.append('render-1', newEvents(1), noStream, [blob])).rejects.toThrow(RevisionConflict);
    expect(await engine.has(blob.sha256)).toBe(false);
    await close();
  });

  const secret = Buffer.from(`secret ${'0123456789'.repeat(300)}`);
  /** The lock timeout is longer than the time limit of a test, so an append that waits for a lock fails the test. */
  const truncatedSoon = { lockTimeoutMs: 200_000, truncateEveryMs: 20 };
  const hasSecret = async (folder: string): Promise<boolean> => {
    const files = await Promise.all(['log.db', 'log.db-wal'].map((name) => readFile(join(folder, name))));
    return files.some((bytes) => bytes.includes(secret.subarray(0, 60)));
  };

  it('leaves no bytes in the files of the event log soon after it is deleted', async () => {
    const { engine, folder, close } = await openInEventLog(truncatedSoon);
    const { sha256 } = await engine.put(secret);
    await expect.poll(() => hasSecret(folder)).toBe(true);
    await engine.delete(sha256);
    await expect.poll(() => hasSecret(folder)).toBe(false);
    await close();
  });

  it('leaves no bytes after the next start when the process was killed after it was deleted', async () => {
    const { engine, folder, close } = await openInEventLog(truncatedSoon);
    await engine.close();
    const database = new DatabaseSync(join(folder, 'log.db'));
    database.exec('PRAGMA secure_delete = ON');
    database.prepare('INSERT INTO small_blobs VALUES (?, ?)').run('0', secret);
    database.exec('DELETE FROM small_blobs');
    const killed = join(folder, 'killed');
    await mkdir(killed);
    for (const name of ['log.db', 'log.db-wal']) await copyFile(join(folder, name), join(killed, name));
    database.close();
    expect(await hasSecret(killed)).toBe(true);
    const restarted = await openWithSmallBlobs(killed, truncatedSoon);
    await expect.poll(() => hasSecret(killed)).toBe(false);
    await restarted.close();
    await close();
  });

  it('does not hold up appends while another process reads', async () => {
    const { engine, folder, close } = await openInEventLog(truncatedSoon);
    const file = join(folder, 'log.db');
    let appended = 0;
    const append = () => engine.store.append(`render-${(appended += 1)}`, newEvents(1), noStream);
    const startReading = (): DatabaseSync => {
      const reader = new DatabaseSync(file);
      reader.exec('BEGIN; SELECT count(*) FROM events');
      return reader;
    };
    const { sha256 } = await engine.put(secret);
    const first = startReading();
    await append();
    const second = startReading();
    await engine.delete(sha256);
    const probe = new DatabaseSync(file);
    const checkpointed = (): unknown => probe.prepare('PRAGMA wal_checkpoint(NOOP)').get()!.checkpointed;
    const before = checkpointed();
    first.close();
    // The next attempt to empty the write-ahead log gets as far as the second reader.
    while (checkpointed() === before) await append();
    await append();
    probe.close();
    expect(await hasSecret(folder)).toBe(true);
    second.close();
    await expect.poll(() => hasSecret(folder)).toBe(false);
    await close();
  });
});

describe('A small blob whose bytes cannot be removed from the write-ahead log', () => {
  it('is not deleted, while others are stored, until they can', async () => {
    const { folder, remove } = await temporaryFolder();
    const program = startProgram('../programs/erase-with-limited-files.ts', { file: join(folder, 'log.db') });
    await program.waitForLines(3);
    expect(program.lines).toEqual([
      'a deletion failed, and its blob is still there',
      'a blob was stored meanwhile',
      'it succeeded later, and the write-ahead log is empty',
    ]);
    expect(await program.exited()).toBe(0);
    await remove();
  });
});

describe('A blob store in a folder', () => {
  it('has no temporary files after parallel writes of a blob', async () => {
    const { engine, folder, close } = await open();
    const bytes = randomBytes(200_000);
    await Promise.all(Array.from({ length: 8 }, () => engine.put(bytes)));
    const { sha256 } = await engine.put(bytes);
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
    expect(await readdir(join(folder, sha256.slice(0, 2)))).toEqual([sha256]);
    await close();
  });

  it('has the deletion of a blob on the disk before it resolves, so that it lasts after a power failure', async () => {
    const { engine, folder, close } = await open();
    const { sha256 } = await engine.put(randomBytes(1_000));
    const parent = join(folder, sha256.slice(0, 2));
    const handle = await openFile(parent);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const { sync } = prototype;
    const synced: { inode: number; entries: string[] }[] = [];
    vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      synced.push({ inode: (await this.stat()).ino, entries: await readdir(parent) });
      return sync.call(this);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    await engine.delete(sha256);
    expect(synced).toEqual([{ inode: (await stat(parent)).ino, entries: [] }]);
    await close();
  });

  it('removes old temporary files of a crash, but not those that another process may be writing', async () => {
    const { folder, reopen, close } = await open();
    const [abandoned, underWay] = [
      join(folder, 'incoming', 'abandoned.part'),
      join(folder, 'incoming', 'under-way.part'),
    ];
    await writeFile(abandoned, 'half');
    await writeFile(underWay, 'half');
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    await utimes(abandoned, longAgo, longAgo);
    await reopen();
    expect(await readdir(join(folder, 'incoming'))).toEqual(['under-way.part']);
    await close();
  });
});
