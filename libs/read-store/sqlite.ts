import { openDatabase, type SqlParameters, type Row, type SqliteDatabase } from '#libs/sqlite/database.ts';
import { type GroupCommit, openGroupCommit, type Statement } from '#libs/sqlite/group-commit.ts';
import type { Collection, Document, DocumentEngine, ReadStore, StoredDocument } from './port.ts';
import { createReadStore, withCheckpoints } from './create-read-store.ts';
import {
  countSql,
  findIdsSql,
  findSql,
  generationsSql,
  insertSql,
  readManySql,
  replaceSql,
  schemaOf,
  tableOf,
  writeSql,
} from './sqlite-query.ts';

const documentOfRow = (row: Row): Document => JSON.parse(row.document as string) as Document;
const rowValuesOf = ({ generation, id, position, document }: StoredDocument): SqlParameters => [
  generation,
  id,
  position,
  document && JSON.stringify(document),
];

/** Reads and writes the id of the installation that a database file belongs to. It is stored once. */
const openSqliteInstallationId = (database: SqliteDatabase) => {
  database.exec(
    'CREATE TABLE IF NOT EXISTS installation (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL) STRICT',
  );
  const installationId = async (): Promise<string | null> =>
    (database.get('SELECT id FROM installation')?.id as string | undefined) ?? null;
  return {
    installationId,
    setInstallationId: async (id: string): Promise<string> => {
      database.run('INSERT INTO installation VALUES (1, ?) ON CONFLICT DO NOTHING', id);
      return (await installationId())!;
    },
  };
};

/** Rows per DELETE: a larger batch would hold the write lock too long. */
const deleteBatchSize = 1_000;

const openSqliteEngine = (file: string, collections: readonly Collection[]): DocumentEngine => {
  const database = openDatabase(file, 'normal');
  for (const collection of collections) for (const sql of schemaOf(collection)) database.exec(sql);
  let writer: GroupCommit | undefined;
  /** Writes in a thread, which is started for the first write: most commands only read. */
  const run = async (...statements: Statement[]): Promise<boolean> => {
    writer ??= openGroupCommit(file, '', { durability: 'normal' });
    return (await writer.run(statements)).isCommitted;
  };
  return {
    read: async ({ collection, generation, id }) => {
      const sql = `SELECT document, position FROM ${tableOf(collection)} WHERE generation = ? AND id = ?`;
      const row = database.get(sql, generation, id);
      if (!row) return { document: null, position: 0 };
      return { document: row.document === null ? null : documentOfRow(row), position: Number(row.position) };
    },
    write: async (documents) => {
      if (documents.length === 0) return;
      const byCollection = Map.groupBy(documents, ({ collection }) => collection);
      await run(
        ...[...byCollection].map(([collection, of]) => ({ sql: writeSql(collection), rows: of.map(rowValuesOf) })),
      );
    },
    replace: (document, from) => {
      const { collection } = document;
      return run(
        from === 0
          ? { sql: insertSql(collection), parameters: rowValuesOf(document), changes: 1 }
          : { sql: replaceSql(collection), parameters: [...rowValuesOf(document), from], changes: 1 },
      );
    },
    readMany: async (collection, generation, ids) =>
      database.all(readManySql(collection), generation, JSON.stringify(ids)).map(documentOfRow),
    find: async (collection, generation, query) => {
      const { sql, parameters } = findSql(collection, generation, query);
      return database.all(sql, ...parameters).map(documentOfRow);
    },
    findIds: async (collection, generation, query) => {
      const { sql, parameters } = findIdsSql(collection, generation, query);
      return database.all(sql, ...parameters).map(({ id }) => String(id));
    },
    count: async (collection, generation, where) => {
      const { sql, parameters } = countSql(collection, generation, where);
      return Number(database.get(sql, ...parameters)!.n);
    },
    createIndexes: async () => undefined,
    listGenerations: async (collection) => database.all(generationsSql(collection)).map(({ name }) => String(name)),
    dropGeneration: async (collection, generation) => {
      const rows = `SELECT rowid FROM ${tableOf(collection)} WHERE generation = ? LIMIT`;
      const sql = `DELETE FROM ${tableOf(collection)} WHERE rowid IN (${rows} ${deleteBatchSize})`;
      while (database.get(`${rows} 1`, generation)) await run({ sql, parameters: [generation] });
    },
    ...openSqliteInstallationId(database),
    close: async () => {
      await writer?.close();
      database.close();
    },
  };
};

/** Read models as JSON documents in one SQLite file, for one process of the service and commands beside it. */
export const openSqliteReadStore = (file: string, collections: readonly Collection[]): ReadStore => {
  const all = withCheckpoints(collections);
  return createReadStore(openSqliteEngine(file, all), all);
};
