import { hash } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '#libs/sqlite/database.ts';
import { openGroupCommit } from '#libs/sqlite/group-commit.ts';
import { openSqliteInstallationId } from '#libs/sqlite/installation-id.ts';
import { createDurableFolder, removeAbandonedFiles, syncFolder, writeDurably } from './durable-file.ts';
import { BlobNotFound, type BlobStore } from './port.ts';
import { isSha256, sha256Of } from './sha256.ts';

// What is erased must not stay readable in the file's free pages.
const schema =
  'PRAGMA secure_delete = ON; CREATE TABLE IF NOT EXISTS small_blobs (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT';

// The row is touched only where its bytes are not what their name says.
const upsertSql = 'INSERT INTO small_blobs VALUES (?1, ?2) ON CONFLICT DO UPDATE SET bytes = ?2 WHERE bytes IS NOT ?2';

/** Up to this size a blob lies in the database, where many share one fsync; larger ones are files. */
export const maxSmallBlobBytes = 64 * 1024;

/** Only these bytes cross to the writer's thread, not the whole buffer that they are a part of. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

/** Blobs in a folder: large ones as files, small ones in a database file beside them. Shared by the processes of one machine. */
export const openFileBlobStore = async (folder: string): Promise<BlobStore> => {
  const incoming = join(folder, 'incoming');
  await createDurableFolder(folder);
  await createDurableFolder(incoming);
  await removeAbandonedFiles(incoming);
  const reader = openDatabase(join(folder, 'small.db'), 'full');
  reader.exec(schema);
  const mark = openSqliteInstallationId(reader);
  const writer = openGroupCommit(join(folder, 'small.db'), schema);

  const folderOf = (sha256: string): string => join(folder, sha256.slice(0, 2));
  const pathOf = (sha256: string): string => join(folderOf(sha256), sha256);
  const small = (sha256: string): Uint8Array | undefined =>
    (reader.get('SELECT bytes FROM small_blobs WHERE sha256 = ?', sha256) as { bytes: Uint8Array } | undefined)?.bytes;
  const file = (sha256: string): Promise<Uint8Array | undefined> =>
    readFile(pathOf(sha256)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });

  const putFile = async (bytes: Uint8Array): Promise<string> => {
    const sha256 = await sha256Of(bytes);
    const there = await file(sha256);
    if (there && (await sha256Of(there)) === sha256) await syncFolder(folderOf(sha256));
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
      const bytes = small(sha256) ?? (await file(sha256));
      if (!bytes || (await sha256Of(bytes)) !== sha256) throw new BlobNotFound(sha256);
      return bytes;
    },
    has: async (sha256) =>
      isSha256(sha256) &&
      (small(sha256) !== undefined ||
        stat(pathOf(sha256)).then(
          () => true,
          () => false,
        )),
    delete: async (sha256) => {
      if (!isSha256(sha256)) return;
      if (small(sha256)) await writer.run([{ sql: 'DELETE FROM small_blobs WHERE sha256 = ?', parameters: [sha256] }]);
      await rm(pathOf(sha256), { force: true });
    },
    ...mark,
    close: async () => {
      await writer.close();
      reader.close();
    },
  };
};
