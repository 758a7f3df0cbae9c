import type { SqliteDatabase } from './database.ts';
import type { GroupCommit, Statement } from './group-commit.ts';

/** Bytes by their SHA-256, in the event log's database file: events and the small blobs that they name share one commit. */
export type SmallBlobs = {
  read(sha256: string): Uint8Array | undefined;
  /** Stores a blob; durable when it resolves. */
  write(sha256: string, bytes: Uint8Array): Promise<void>;
  /** Rejects if the bytes of deleted blobs cannot be removed from the write-ahead log. */
  delete(sha256: string): Promise<void>;
};

// Deleted bytes must not stay in free pages of the file.
export const smallBlobsSchema =
  'PRAGMA secure_delete = ON; CREATE TABLE IF NOT EXISTS small_blobs (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT';

// An existing row is only updated if its bytes are damaged.
const upsertSql = 'INSERT INTO small_blobs VALUES (?1, ?2) ON CONFLICT DO UPDATE SET bytes = ?2 WHERE bytes IS NOT ?2';

/** `bytes` is sent to the writer's thread with its whole underlying buffer, so it must not be a slice, nor change before the commit. */
export const storeBlobStatement = (sha256: string, bytes: Uint8Array): Statement => ({
  sql: upsertSql,
  parameters: [sha256, bytes],
});

/** Reads in this thread, and writes in the thread of the writer. */
export const createSmallBlobs = (reader: SqliteDatabase, writer: GroupCommit): SmallBlobs => {
  const read = (sha256: string): Uint8Array | undefined =>
    (reader.get('SELECT bytes FROM small_blobs WHERE sha256 = ?', sha256) as { bytes: Uint8Array } | undefined)?.bytes;
  return {
    read,
    write: async (sha256, bytes) => {
      await writer.run([storeBlobStatement(sha256, new Uint8Array(bytes))]);
    },
    delete: async (sha256) => {
      const sql = 'DELETE FROM small_blobs WHERE sha256 = ?';
      if (read(sha256)) await writer.run([{ sql, parameters: [sha256], erases: true }]);
    },
  };
};
