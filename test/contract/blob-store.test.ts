import { randomBytes } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openFileBlobStore } from '#libs/blob-store/file.ts';
import { describeBlobStoreContract } from './blob-store.contract.ts';
import { openInTemporaryFolder } from '../support/contract/temporary-folder.ts';

const corruptIn = (folder: string) => async (sha256: string) => {
  const database = new DatabaseSync(join(folder, 'small.db'));
  const { changes } = database
    .prepare(`UPDATE small_blobs SET bytes = CAST('damaged' AS BLOB) WHERE sha256 = ?`)
    .run(sha256);
  database.close();
  if (changes === 1) return;
  const path = join(folder, sha256.slice(0, 2), sha256);
  const bytes = await readFile(path);
  bytes[0]! ^= 1;
  await writeFile(path, bytes);
};

const open = async () => {
  const opened = await openInTemporaryFolder(openFileBlobStore);
  return { ...opened, corrupt: corruptIn(opened.folder) };
};

describeBlobStoreContract('A folder', open);

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
