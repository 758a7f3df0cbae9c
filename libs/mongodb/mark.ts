import { type Connection, type Database, type Documents, documentsIn } from './connection.ts';
import { isDuplicate } from './trouble.ts';

type Mark = { _id: string; installation: string };

/** The mark of an engine's collections: the installation that they belong to, written once into the document `name` of `collection`. */
export const openMark = (connection: Pick<Connection, 'use'>, collection: string, name: string) => {
  const marksIn = (db: Database): Documents<Mark> => documentsIn<Mark>(db, collection);
  const read = async (db: Database): Promise<string | null> => (await marksIn(db).findOne({ _id: name }))?.installation ?? null;
  return {
    mark: (): Promise<string | null> => connection.use(read),
    setMark: (id: string): Promise<string> =>
      connection.use(async (db) => {
        try {
          await marksIn(db).updateOne({ _id: name }, { $setOnInsert: { installation: id } }, { upsert: true });
        } catch (error) {
          if (!isDuplicate(error)) throw error;
        }
        return (await read(db))!;
      }),
  };
};
