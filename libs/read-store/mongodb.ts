import {
  type Connection, type Database, type Documents, documentsIn, openConnection,
} from '#libs/mongodb/connection.ts';
import { openMark } from '#libs/mongodb/mark.ts';
import { isAbsent, isDuplicate } from '#libs/mongodb/trouble.ts';
import { documentOf, filterOf, indexOf, orderOf, type Stored, storedOf } from './mongodb-query.ts';
import type { Collection, DocumentEngine, DocumentKey, ReadStore, StoredDocument } from './port.ts';
import { createReadStore, fieldsDeclared, withCheckpoints } from './read-models.ts';

const prefix = 'documents.';
const nameOf = (collection: string, generation: string): string =>
  prefix + collection + (generation === '' ? '' : `@${generation}`);

type Place = Pick<DocumentKey, 'collection' | 'generation'>;
const storedIn = (db: Database, { collection, generation }: Place): Documents<Stored> =>
  documentsIn<Stored>(db, nameOf(collection, generation));

const namesIn = async (db: Database): Promise<string[]> =>
  (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);

const generationsAmong = (names: readonly string[], collection: string): string[] => {
  const first = nameOf(collection, '');
  const own = names.filter((name) => name === first || name.startsWith(`${first}@`));
  return own.map((name) => name.slice(first.length + 1));
};

type Older = { _id: string; p: { $lt: number } };
type Write = { replaceOne: { filter: Older; replacement: Omit<Stored, '_id'>; upsert: true } };

const refusedAsDuplicate = (error: unknown): false => {
  if (!isDuplicate(error)) throw error;
  return false;
};

/** False where the server refused an insert because the document is there. */
const tryToWrite = async (documents: Documents<Stored>, writes: readonly Write[]): Promise<boolean> => {
  const [{ replaceOne }] = writes as [Write];
  try {
    // The driver does much more for several writes than for one.
    if (writes.length === 1) await documents.replaceOne(replaceOne.filter, replaceOne.replacement, { upsert: true });
    else await documents.bulkWrite([...writes], { ordered: false });
    return true;
  } catch (error) {
    return refusedAsDuplicate(error);
  }
};

/**
 * Writes where the stored position is older. The filter matches no document that is as far; then the server tries to
 * insert one and refuses. The same happens where another process inserted an older document at that moment. So each
 * write is tried once more by itself: what is refused then is as far already.
 */
const writeAll = async (documents: Documents<Stored>, writes: readonly Write[]): Promise<void> => {
  if (await tryToWrite(documents, writes)) return;
  for (const one of writes) await tryToWrite(documents, [one]);
};

const makeIndexes = async (db: Database, { name, indexes }: Collection, generation: string): Promise<void> => {
  for (const one of indexes) await storedIn(db, { collection: name, generation }).createIndex(indexOf(one));
};

const openEngine = (connection: Connection, collections: readonly Collection[]): DocumentEngine => {
  const paths = new Map(collections.map((one) => [one.name, fieldsDeclared(one)]));
  const stored = (one: StoredDocument): Omit<Stored, '_id'> => storedOf(one, paths.get(one.collection) ?? []);
  const writeOf = (one: StoredDocument): Write => ({
    replaceOne: { filter: { _id: one.id, p: { $lt: one.position } }, replacement: stored(one), upsert: true },
  });
  return {
    read: (key) =>
      connection.use(async (db) => {
        const found = await storedIn(db, key).findOne({ _id: key.id }, { projection: { json: 1, p: 1 } });
        return { document: found?.json === undefined ? null : documentOf(found), position: found?.p ?? 0 };
      }),
    write: (documents) =>
      connection.use(async (db) => {
        const places = Map.groupBy(documents, ({ collection, generation }) => nameOf(collection, generation));
        await Promise.all([...places].map(([name, all]) => writeAll(documentsIn<Stored>(db, name), all.map(writeOf))));
      }),
    replace: (one, from) =>
      connection.use(async (db) => {
        const replacing = storedIn(db, one).replaceOne({ _id: one.id, p: from }, stored(one), { upsert: from === 0 });
        return replacing.then((done) => done.matchedCount + done.upsertedCount === 1, refusedAsDuplicate);
      }),
    find: (collection, generation, { where, range, sort, limit, skip = 0 }) =>
      connection.use(async (db) => {
        const options = { projection: { json: 1 }, sort: orderOf(sort), limit, skip, batchSize: limit };
        const found = storedIn(db, { collection, generation }).find(filterOf(where, range) as object, options);
        return (await found.toArray()).map(documentOf);
      }),
    count: (collection, generation, where) =>
      connection.use((db) => storedIn(db, { collection, generation }).countDocuments(filterOf(where))),
    prepare: (collection, generation) => connection.use((db) => makeIndexes(db, collection, generation)),
    generations: (collection) => connection.use(async (db) => generationsAmong(await namesIn(db), collection)),
    drop: (collection, generation) =>
      connection.use(async (db) => {
        await db.dropCollection(nameOf(collection, generation)).catch((error: unknown) => {
          if (!isAbsent(error)) throw error;
        });
      }),
    ...openMark(connection, 'installation', 'readModels'),
    missing: () => connection.missing(),
    close: () => connection.close(),
  };
};

/** Read models in MongoDB, shared by any number of processes. `setting` names the setting that `url` is from. */
export const openMongoReadStore = async (
  url: string,
  collections: readonly Collection[],
  setting = 'READ_STORE_URL',
): Promise<ReadStore & Pick<Connection, 'missing'>> => {
  const all = withCheckpoints(collections);
  const connection = openConnection(url, setting, async (db) => {
    const names = await namesIn(db);
    for (const collection of all) {
      const stored = generationsAmong(names, collection.name);
      for (const generation of stored.length === 0 ? [''] : stored) await makeIndexes(db, collection, generation);
    }
  });
  return { ...createReadStore(openEngine(connection, all), all), missing: () => connection.missing() };
};
