import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { openDatabase } from '#libs/sqlite/database.ts';
import { openGroupCommit } from '#libs/sqlite/group-commit.ts';
import { BlobMissing, type BlobStore } from './port.ts';

const schema = 'CREATE TABLE IF NOT EXISTS small_blobs (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT';

/** Up to this size a blob lies in the database, where many share one fsync; larger ones are files. */
const smallBytes = 64 * 1024;

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};

const writeDurably = async (path: string, folder: string, bytes: Uint8Array): Promise<void> => {
  const temporary = `${path}.${ulid()}.part`;
  const handle = await open(temporary, 'wx');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncFolder(folder);
};

/** Blobs in a folder: large ones as files, small ones in a database file beside them. */
export const openFileBlobStore = async (folder: string): Promise<BlobStore> => {
  await mkdir(folder, { recursive: true });
  const writer = openGroupCommit(join(folder, 'small.db'), schema);
  const reader = openDatabase(join(folder, 'small.db'), 'full');
  reader.run(schema);

  const folderOf = (sha256: string): string => join(folder, sha256.slice(0, 2));
  const pathOf = (sha256: string): string => join(folderOf(sha256), sha256);
  const small = (sha256: string): Uint8Array | undefined =>
    (reader.get('SELECT bytes FROM small_blobs WHERE sha256 = ?', sha256) as { bytes: Uint8Array } | undefined)?.bytes;
  const isFile = (sha256: string): Promise<boolean> => stat(pathOf(sha256)).then(() => true, () => false);
  const file = (sha256: string): Promise<Uint8Array> =>
    readFile(pathOf(sha256)).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new BlobMissing(sha256) : error;
    });

  const putFile = async (sha256: string, bytes: Uint8Array): Promise<void> => {
    if (await isFile(sha256)) return;
    await mkdir(folderOf(sha256), { recursive: true });
    await syncFolder(folder);
    await writeDurably(pathOf(sha256), folderOf(sha256), bytes);
  };

  return {
    put: async (bytes) => {
      const sha256 = sha256Of(bytes);
      if (bytes.byteLength > smallBytes) await putFile(sha256, bytes);
      else await writer.run([{ sql: 'INSERT INTO small_blobs VALUES (?, ?) ON CONFLICT DO NOTHING', parameters: [sha256, bytes] }]);
      return { sha256, size: bytes.byteLength };
    },
    get: async (sha256) => {
      const bytes = small(sha256) ?? (await file(sha256));
      if (sha256Of(bytes) !== sha256) throw new BlobMissing(sha256);
      return bytes;
    },
    has: async (sha256) => small(sha256) !== undefined || (await isFile(sha256)),
    delete: async (sha256) => {
      await writer.run([{ sql: 'DELETE FROM small_blobs WHERE sha256 = ?', parameters: [sha256] }]);
      await rm(pathOf(sha256), { force: true });
    },
    close: async () => {
      await writer.close();
      reader.close();
    },
  };
};
