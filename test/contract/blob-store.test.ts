import { hash, randomBytes } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openFileBlobStore } from '#libs/blob-store/file.ts';
import { withSmallBlobs } from '#libs/blob-store/small-blobs.ts';
import { noStream, RevisionConflict } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { describeBlobStoreContract } from './blob-store.contract.ts';
import { newEvents } from '../support/contract/new-events.ts';
import { openInTemporaryFolder } from '../support/contract/temporary-folder.ts';

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

const openWithSmallBlobs = async (folder: string) => {
  const store = openSqliteEventStore(join(folder, 'log.db'));
  const blobs = withSmallBlobs(await openFileBlobStore(folder), store.smallBlobs);
  const close = async (): Promise<void> => {
    await blobs.close();
    await store.close();
  };
  return { ...blobs, store, close };
};

const openInEventLog = async () => {
  const opened = await openInTemporaryFolder(openWithSmallBlobs);
  const corrupt = async (sha256: string): Promise<void> => {
    if (!damageSmallBlob(opened.folder, sha256)) await damageFile(opened.folder, sha256);
  };
  return { ...opened, corrupt };
};

describeBlobStoreContract('A folder', open);
describeBlobStoreContract('A folder, with small blobs in the event log,', openInEventLog);

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

  it('leaves no bytes in the file of the event log when it is deleted', async () => {
    const { engine, folder, close } = await openInEventLog();
    const secret = `secret ${'0123456789'.repeat(300)}`;
    const { sha256 } = await engine.put(Buffer.from(secret));
    await engine.delete(sha256);
    await engine.close();
    expect((await readFile(join(folder, 'log.db'))).includes(secret.slice(0, 60))).toBe(false);
    await close();
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
