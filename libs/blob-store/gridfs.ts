import {
  type MongoConnection,
  type MongoDatabase,
  type MongoCollection,
  mongoCollectionIn,
  openMongoConnection,
} from '#libs/mongodb/connection.ts';
import { openMongoInstallationId } from '#libs/mongodb/installation-id.ts';
import { nullIfDuplicate } from '#libs/mongodb/errors.ts';
import { BlobNotFound, type BlobStore } from './port.ts';
import { isSha256, sha256Of } from './sha256.ts';

/**
 * The collections of the GridFS specification, so that its tools can read them. The ids of files and chunks come from the
 * hash. So parallel writes of a blob write the same documents, and a later write repairs what a crash left incomplete.
 */
type File = { _id: string; length: number; chunkSize: number; uploadDate: Date; filename: string };
type Chunk = { _id: string; files_id: string; n: number; data: Uint8Array };

/** Must never change: stored blobs are read with this chunk size. */
const chunkBytes = 255 * 1024;
/** The number of chunks (4 MiB) that are transferred in parallel. */
const chunksPerRound = 16;

const filesIn = (db: MongoDatabase): MongoCollection<File> => mongoCollectionIn<File>(db, 'fs.files');
const chunksIn = (db: MongoDatabase): MongoCollection<Chunk> => mongoCollectionIn<Chunk>(db, 'fs.chunks');

const chunkCountOf = (length: number): number => Math.ceil(length / chunkBytes);
const chunkId = (sha256: string, n: number): string => `${sha256}/${n}`;
const chunkRounds = (count: number): number[][] =>
  Array.from({ length: Math.ceil(count / chunksPerRound) }, (_, round) =>
    Array.from(
      { length: Math.min(chunksPerRound, count - round * chunksPerRound) },
      (_, n) => round * chunksPerRound + n,
    ),
  );

const readBlob = async (db: MongoDatabase, sha256: string): Promise<Uint8Array | null> => {
  const chunk = (n: number): Promise<Chunk | null> => chunksIn(db).findOne({ _id: chunkId(sha256, n) });
  // Most blobs have one chunk, so it is read together with the file document.
  const [file, first] = await Promise.all([filesIn(db).findOne({ _id: sha256 }), chunk(0)]);
  if (!file) return null;
  const parts: Uint8Array[] = first ? [first.data] : [];
  for (const round of chunkRounds(chunkCountOf(file.length)))
    parts.push(
      ...(await Promise.all(round.filter((n) => n > 0).map(async (n) => (await chunk(n))?.data ?? new Uint8Array()))),
    );
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  return (await sha256Of(bytes)) === sha256 ? bytes : null;
};

/** Of two parallel first writes of a document, one fails with a duplicate key. Its retry finds the document. */
const retryOnDuplicate = <T>(write: () => Promise<T>): Promise<T> =>
  write().catch((error: unknown) => nullIfDuplicate(error) ?? write());

const writeBlob = async (db: MongoDatabase, sha256: string, bytes: Uint8Array): Promise<void> => {
  for (const round of chunkRounds(chunkCountOf(bytes.byteLength))) {
    const writes = round.map((n) => ({
      replaceOne: {
        filter: { _id: chunkId(sha256, n) },
        replacement: { files_id: sha256, n, data: bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes) },
        upsert: true,
      },
    }));
    // Need not be durable yet: the journal is written in order, and the file document is written last and durably.
    await retryOnDuplicate(() => chunksIn(db).bulkWrite(writes, { ordered: false, writeConcern: { w: 1 } }));
  }
  const file = { length: bytes.byteLength, chunkSize: chunkBytes, uploadDate: new Date(), filename: sha256 };
  await retryOnDuplicate(() => filesIn(db).replaceOne({ _id: sha256 }, file, { upsert: true }));
};

/** Sets the time of a blob to now. False if it has no file document any more. */
const touch = async (db: MongoDatabase, sha256: string): Promise<boolean> =>
  (await filesIn(db).updateOne({ _id: sha256 }, { $set: { uploadDate: new Date() } })).matchedCount === 1;

const isStoredSince = async (db: MongoDatabase, sha256: string, time: Date): Promise<boolean> =>
  (await filesIn(db).findOne({ _id: sha256, uploadDate: { $gte: time } }, { projection: { _id: 1 } })) !== null;

/**
 * Deletes the chunks also without a file document: a process that ended may have left them. The file document is deleted
 * last, so that a `put` at the same moment leaves none without chunks.
 */
const removeBlob = async (db: MongoDatabase, sha256: string): Promise<void> => {
  await chunksIn(db).deleteMany({ files_id: sha256 });
  await filesIn(db).deleteOne({ _id: sha256 });
};

/**
 * Blobs in GridFS, shared by any number of processes. When `put` resolves, the blob is durable on a majority of the replica
 * set. `setting` is the name of the setting that `url` comes from, for error messages.
 */
export const openGridFsBlobStore = async (
  url: string,
  setting = 'BLOB_STORE_URL',
): Promise<BlobStore & Pick<MongoConnection, 'missing'>> => {
  const connection = openMongoConnection(
    url,
    setting,
    async (db) => void (await chunksIn(db).createIndex({ files_id: 1, n: 1 }, { unique: true })),
  );
  return {
    maxAppendedBytes: 0,
    put: (bytes) => {
      // The caller may change the buffer of a small blob at once.
      const content = bytes.byteLength <= chunkBytes ? new Uint8Array(bytes) : bytes;
      return connection.use(async (db) => {
        const sha256 = await sha256Of(content);
        // Writing one chunk costs no more than checking for it.
        if (content.byteLength <= chunkBytes || (await readBlob(db, sha256)) === null || !(await touch(db, sha256)))
          await writeBlob(db, sha256, content);
        return { sha256, size: content.byteLength };
      });
    },
    get: async (sha256) => {
      const bytes = isSha256(sha256) ? await connection.use((db) => readBlob(db, sha256)) : null;
      if (!bytes) throw new BlobNotFound(sha256);
      return bytes;
    },
    has: async (sha256) =>
      isSha256(sha256) &&
      (await connection.use((db) => filesIn(db).findOne({ _id: sha256 }, { projection: { _id: 1 } }))) !== null,
    delete: async (sha256, storedBefore) =>
      !isSha256(sha256) ||
      connection.use(async (db) => {
        if (storedBefore && (await isStoredSince(db, sha256, storedBefore))) return false;
        await removeBlob(db, sha256);
        return true;
      }),
    // Next to the GridFS collections, so that their backup contains it.
    ...openMongoInstallationId(connection, 'fs.installation', 'blobs'),
    missing: () => connection.missing(),
    close: () => connection.close(),
  };
};
