import { LRUCache } from 'lru-cache';
import type { SqliteDatabase } from './database.ts';
import type { GroupCommit, Statement } from './group-commit.ts';

/** Bytes by their SHA-256, in the event log's database file: events and the small blobs that they name share one commit. */
export type SmallBlobs = {
  read(sha256: string): Uint8Array | undefined;
  /** Stores a blob; durable when it resolves. */
  write(sha256: string, bytes: Uint8Array): Promise<void>;
  /**
   * With `storedBefore`, a blob that was written since stays: returns false. Rejects if the bytes of deleted blobs cannot
   * be removed from the write-ahead log.
   */
  delete(sha256: string, storedBefore?: Date): Promise<boolean>;
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

/** Only this process writes. The newest writes are enough: what stored a blob, the read models soon know. */
const rememberedWrites = 20_000;

/** Reads in this thread, and writes in the thread of the writer. */
export const createSmallBlobs = (reader: SqliteDatabase, writer: GroupCommit): SmallBlobs => {
  const read = (sha256: string): Uint8Array | undefined =>
    (reader.get('SELECT bytes FROM small_blobs WHERE sha256 = ?', sha256) as { bytes: Uint8Array } | undefined)?.bytes;
  const writtenAt = new LRUCache<string, number>({ max: rememberedWrites });
  return {
    read,
    write: async (sha256, bytes) => {
      writtenAt.set(sha256, Date.now());
      await writer.run([storeBlobStatement(sha256, new Uint8Array(bytes))]);
    },
    delete: async (sha256, storedBefore) => {
      if (storedBefore && (writtenAt.get(sha256) ?? 0) >= storedBefore.getTime()) return false;
      const sql = 'DELETE FROM small_blobs WHERE sha256 = ?';
      if (read(sha256)) await writer.run([{ sql, parameters: [sha256], erases: true }]);
      return true;
    },
  };
};
