import { setImmediate } from 'node:timers/promises';
import { openDatabase, type SqlParameters, type Row } from '#libs/sqlite/database.ts';
import { openSqliteInstallationId } from '#libs/sqlite/installation-id.ts';
import type { Collection, Document, DocumentEngine, ReadStore, StoredDocument } from './port.ts';
import { createReadStore, withCheckpoints } from './create-read-store.ts';
import {
  countSql,
  findSql,
  generationsSql,
  indexSql,
  insertSql,
  replaceSql,
  tableOf,
  tableSql,
  writeSql,
} from './sqlite-query.ts';

const documentOfRow = (row: Row): Document => JSON.parse(row.document as string) as Document;
/** A document as the values of its row. */
const rowValuesOf = ({ generation, id, position, document }: StoredDocument): SqlParameters => [
  generation,
  id,
  position,
  document && JSON.stringify(document),
];

/** Removed at once, so that other processes wait for the write lock no longer. */
const deleteBatchSize = 1_000;

const openSqliteEngine = (file: string, collections: readonly Collection[]): DocumentEngine => {
  const database = openDatabase(file, 'normal');
  for (const { name, indexes } of collections) {
    database.exec(tableSql(name));
    for (const paths of indexes) database.exec(indexSql(name, paths));
  }
  return {
    read: async ({ collection, generation, id }) => {
      const sql = `SELECT document, position FROM ${tableOf(collection)} WHERE generation = ? AND id = ?`;
      const row = database.get(sql, generation, id);
      if (!row) return { document: null, position: 0 };
      return { document: row.document === null ? null : documentOfRow(row), position: Number(row.position) };
    },
    write: async (documents) => {
      if (documents.length === 0) return;
      database.transaction(() => {
        for (const one of documents) database.run(writeSql(one.collection), ...rowValuesOf(one));
      });
    },
    replace: async (one, from) => {
      const changed =
        from === 0
          ? database.run(insertSql(one.collection), ...rowValuesOf(one))
          : database.run(replaceSql(one.collection), ...rowValuesOf(one), from);
      return changed === 1;
    },
    find: async (collection, generation, query) => {
      const { sql, parameters } = findSql(collection, generation, query);
      return database.all(sql, ...parameters).map(documentOfRow);
    },
    count: async (collection, generation, where) => {
      const { sql, parameters } = countSql(collection, generation, where);
      return Number(database.get(sql, ...parameters)!.n);
    },
    createIndexes: async () => undefined,
    listGenerations: async (collection) => database.all(generationsSql(collection)).map(({ name }) => String(name)),
    dropGeneration: async (collection, generation) => {
      const rows = `SELECT rowid FROM ${tableOf(collection)} WHERE generation = ? LIMIT ${deleteBatchSize}`;
      const sql = `DELETE FROM ${tableOf(collection)} WHERE rowid IN (${rows})`;
      while (database.run(sql, generation) === deleteBatchSize) await setImmediate();
    },
    ...openSqliteInstallationId(database),
    close: async () => database.close(),
  };
};

/** Read models as JSON documents in one SQLite file, which the processes of one machine may share. */
export const openSqliteReadStore = (file: string, collections: readonly Collection[]): ReadStore => {
  const all = withCheckpoints(collections);
  return createReadStore(openSqliteEngine(file, all), all);
};
