import { type MongoConnection, type MongoDatabase, type MongoCollection, mongoCollectionIn } from './connection.ts';
import { nullIfDuplicate } from './errors.ts';

type InstallationDocument = { _id: string; installation: string };

/** Reads and writes the id of the installation that the collections belong to: in the document `name` of `collection`. */
export const openMongoInstallationId = (connection: Pick<MongoConnection, 'use'>, collection: string, name: string) => {
  const installationIdsIn = (db: MongoDatabase): MongoCollection<InstallationDocument> =>
    mongoCollectionIn<InstallationDocument>(db, collection);
  const read = async (db: MongoDatabase): Promise<string | null> =>
    (await installationIdsIn(db).findOne({ _id: name }))?.installation ?? null;
  return {
    installationId: (): Promise<string | null> => connection.use(read),
    setInstallationId: (id: string): Promise<string> =>
      connection.use(async (db) => {
        await installationIdsIn(db)
          .updateOne({ _id: name }, { $setOnInsert: { installation: id } }, { upsert: true })
          .catch(nullIfDuplicate);
        return (await read(db))!;
      }),
  };
};
