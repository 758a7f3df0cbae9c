import {
  type MongoConnection,
  type MongoDatabase,
  type MongoCollection,
  mongoCollectionIn,
  openMongoConnection,
} from '#libs/mongodb/connection.ts';
import { openMongoInstallationId } from '#libs/mongodb/installation-id.ts';
import { isNamespaceNotFound, nullIfDuplicate } from '#libs/mongodb/errors.ts';
import {
  fromMongoDocument,
  toMongoFilter,
  toMongoIndex,
  toMongoSort,
  type MongoDocument,
  toMongoDocument,
} from './mongodb-query.ts';
import {
  allIndexesOf,
  type Collection,
  type DocumentEngine,
  type DocumentKey,
  type Query,
  type ReadStore,
  type StoredDocument,
} from './port.ts';
import { createReadStore, indexedFieldsOf, withCheckpoints } from './create-read-store.ts';

const collectionPrefix = 'documents.';
const collectionNameOf = (collection: string, generation: string): string =>
  collectionPrefix + collection + (generation === '' ? '' : `@${generation}`);

type CollectionGeneration = Pick<DocumentKey, 'collection' | 'generation'>;
const mongoCollectionFor = (
  db: MongoDatabase,
  { collection, generation }: CollectionGeneration,
): MongoCollection<MongoDocument> => mongoCollectionIn<MongoDocument>(db, collectionNameOf(collection, generation));

const collectionNamesIn = async (db: MongoDatabase): Promise<string[]> =>
  (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);

const generationsIn = (names: readonly string[], collection: string): string[] => {
  const first = collectionNameOf(collection, '');
  const matching = names.filter((name) => name === first || name.startsWith(`${first}@`));
  return matching.map((name) => name.slice(first.length + 1));
};

type OlderFilter = { _id: string; position: { $lt: number } };
type ReplaceOneWrite = { replaceOne: { filter: OlderFilter; replacement: Omit<MongoDocument, '_id'>; upsert: true } };

/** False if the server rejected an insert because the document exists. */
const tryToWrite = async (
  documents: MongoCollection<MongoDocument>,
  writes: readonly ReplaceOneWrite[],
): Promise<boolean> => {
  const [{ replaceOne }] = writes as [ReplaceOneWrite];
  // For a single write, `replaceOne` costs the driver much less than `bulkWrite`.
  const written: Promise<object> =
    writes.length === 1
      ? documents.replaceOne(replaceOne.filter, replaceOne.replacement, { upsert: true })
      : documents.bulkWrite([...writes], { ordered: false });
  return (await written.catch(nullIfDuplicate)) !== null;
};

/**
 * Writes each document whose stored position is older. If the stored position is not older, the filter does not match,
 * and the upsert fails with a duplicate key. It also fails if another process inserts an older document at the same
 * moment. So each write is retried once on its own: if it fails again, the stored position is not older.
 */
const writeAll = async (
  documents: MongoCollection<MongoDocument>,
  writes: readonly ReplaceOneWrite[],
): Promise<void> => {
  if (await tryToWrite(documents, writes)) return;
  for (const write of writes) await tryToWrite(documents, [write]);
};

const ensureIndexes = async (db: MongoDatabase, collection: Collection, generation: string): Promise<void> => {
  for (const paths of allIndexesOf(collection))
    await mongoCollectionFor(db, { collection: collection.name, generation }).createIndex(toMongoIndex(paths));
};

const openMongoEngine = (connection: MongoConnection, collections: readonly Collection[]): DocumentEngine => {
  const paths = new Map(collections.map((collection) => [collection.name, indexedFieldsOf(collection)]));
  const toStored = (document: StoredDocument): Omit<MongoDocument, '_id'> =>
    toMongoDocument(document, paths.get(document.collection) ?? []);
  const writeOf = (document: StoredDocument): ReplaceOneWrite => ({
    replaceOne: {
      filter: { _id: document.id, position: { $lt: document.position } },
      replacement: toStored(document),
      upsert: true,
    },
  });
  const findIn = (
    of: CollectionGeneration,
    { where, range, sort, limit, skip = 0 }: Query,
    projection: { json: 1 } | { _id: 1 },
  ): Promise<MongoDocument[]> =>
    connection.use((db) =>
      mongoCollectionFor(db, of)
        .find(toMongoFilter(where, range), { projection, sort: toMongoSort(sort), limit, skip, batchSize: limit })
        .toArray(),
    );
  return {
    read: (key) =>
      connection.use(async (db) => {
        const found = await mongoCollectionFor(db, key).findOne(
          { _id: key.id },
          { projection: { json: 1, position: 1 } },
        );
        return {
          document: found?.json === undefined ? null : fromMongoDocument(found),
          position: found?.position ?? 0,
        };
      }),
    write: (documents) =>
      connection.use(async (db) => {
        const batches = Map.groupBy(documents, ({ collection, generation }) =>
          collectionNameOf(collection, generation),
        );
        await Promise.all(
          [...batches].map(([name, batch]) => writeAll(mongoCollectionIn<MongoDocument>(db, name), batch.map(writeOf))),
        );
      }),
    replace: (document, from) =>
      connection.use(async (db) => {
        const replaced = await mongoCollectionFor(db, document)
          .replaceOne({ _id: document.id, position: from }, toStored(document), { upsert: from === 0 })
          .catch(nullIfDuplicate);
        return replaced !== null && replaced.matchedCount + replaced.upsertedCount === 1;
      }),
    readMany: (collection, generation, ids) =>
      connection.use(async (db) => {
        const found = mongoCollectionFor(db, { collection, generation }).find(
          { _id: { $in: [...ids] }, removed: { $exists: false } },
          { projection: { json: 1 }, batchSize: ids.length },
        );
        return (await found.toArray()).map(fromMongoDocument);
      }),
    find: async (collection, generation, query) =>
      (await findIn({ collection, generation }, query, { json: 1 })).map(fromMongoDocument),
    // MongoDB finds the index by trial.
    findIds: async (collection, generation, query) =>
      (await findIn({ collection, generation }, query, { _id: 1 })).map(({ _id }) => _id),
    count: (collection, generation, where) =>
      connection.use((db) => mongoCollectionFor(db, { collection, generation }).countDocuments(toMongoFilter(where))),
    createIndexes: (collection, generation) => connection.use((db) => ensureIndexes(db, collection, generation)),
    listGenerations: (collection) =>
      connection.use(async (db) => generationsIn(await collectionNamesIn(db), collection)),
    dropGeneration: (collection, generation) =>
      connection.use(async (db) => {
        await db.dropCollection(collectionNameOf(collection, generation)).catch((error: unknown) => {
          if (!isNamespaceNotFound(error)) throw error;
        });
      }),
    ...openMongoInstallationId(connection, 'installation', 'readModels'),
    close: () => connection.close(),
  };
};

/** Read models in MongoDB, shared by any number of processes. `url` is READ_STORE_URL. */
export const openMongoReadStore = async (
  url: string,
  collections: readonly Collection[],
): Promise<ReadStore & Pick<MongoConnection, 'missing'>> => {
  const all = withCheckpoints(collections);
  const connection = openMongoConnection(url, 'READ_STORE_URL', async (db) => {
    const names = await collectionNamesIn(db);
    for (const collection of all) {
      const stored = generationsIn(names, collection.name);
      for (const generation of stored.length === 0 ? [''] : stored) await ensureIndexes(db, collection, generation);
    }
  });
  return { ...createReadStore(openMongoEngine(connection, all), all), missing: () => connection.missing() };
};
