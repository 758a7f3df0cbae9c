import { hash } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '#libs/sqlite/database.ts';
import { openGroupCommit } from '#libs/sqlite/group-commit.ts';
import { openSqliteInstallationId } from '#libs/sqlite/installation-id.ts';
import { createDurableFolder, removeAbandonedFiles, syncFolder, writeDurably } from './durable-file.ts';
import { BlobNotFound, type BlobStore } from './port.ts';
import { isSha256, sha256Of } from './sha256.ts';

// Deleted bytes must not stay in free pages of the file.
const schema =
  'PRAGMA secure_delete = ON; CREATE TABLE IF NOT EXISTS small_blobs (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT';

// An existing row is only updated if its bytes are damaged.
const upsertSql = 'INSERT INTO small_blobs VALUES (?1, ?2) ON CONFLICT DO UPDATE SET bytes = ?2 WHERE bytes IS NOT ?2';

/** Blobs up to this size are stored in the database, where many writes share one fsync; larger ones are files. */
export const maxSmallBlobBytes = 64 * 1024;

/** Without the copy, the whole underlying buffer would be sent to the writer's thread. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

/** Blobs in a folder: large ones as files, small ones in a database file. Processes on one machine can share it. */
export const openFileBlobStore = async (folder: string): Promise<BlobStore> => {
  const incoming = join(folder, 'incoming');
  await createDurableFolder(folder);
  await createDurableFolder(incoming);
  await removeAbandonedFiles(incoming);
  const reader = openDatabase(join(folder, 'small.db'), 'full');
  reader.exec(schema);
  const installationId = openSqliteInstallationId(reader);
  const writer = openGroupCommit(join(folder, 'small.db'), schema);

  const folderOf = (sha256: string): string => join(folder, sha256.slice(0, 2));
  const pathOf = (sha256: string): string => join(folderOf(sha256), sha256);
  const readSmall = (sha256: string): Uint8Array | undefined =>
    (reader.get('SELECT bytes FROM small_blobs WHERE sha256 = ?', sha256) as { bytes: Uint8Array } | undefined)?.bytes;
  const readLarge = (sha256: string): Promise<Uint8Array | undefined> =>
    readFile(pathOf(sha256)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });

  const putFile = async (bytes: Uint8Array): Promise<string> => {
    const sha256 = await sha256Of(bytes);
    const stored = await readLarge(sha256);
    if (stored && (await sha256Of(stored)) === sha256) await syncFolder(folderOf(sha256));
    else await writeDurably(pathOf(sha256), incoming, bytes);
    return sha256;
  };

  return {
    put: async (bytes) => {
      const size = bytes.byteLength;
      if (size > maxSmallBlobBytes) return { sha256: await putFile(bytes), size };
      const sha256 = hash('sha256', bytes, 'hex');
      await writer.run([{ sql: upsertSql, parameters: [sha256, copyOf(bytes)] }]);
      return { sha256, size };
    },
    get: async (sha256) => {
      if (!isSha256(sha256)) throw new BlobNotFound(sha256);
      const bytes = readSmall(sha256) ?? (await readLarge(sha256));
      if (!bytes || (await sha256Of(bytes)) !== sha256) throw new BlobNotFound(sha256);
      return bytes;
    },
    has: async (sha256) =>
      isSha256(sha256) &&
      (readSmall(sha256) !== undefined ||
        stat(pathOf(sha256)).then(
          () => true,
          () => false,
        )),
    delete: async (sha256) => {
      if (!isSha256(sha256)) return;
      if (readSmall(sha256))
        await writer.run([{ sql: 'DELETE FROM small_blobs WHERE sha256 = ?', parameters: [sha256] }]);
      await rm(pathOf(sha256), { force: true });
    },
    ...installationId,
    close: async () => {
      await writer.close();
      reader.close();
    },
  };
};
