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
const rowValuesOf = ({ generation, id, position, document }: StoredDocument): SqlParameters => [
  generation,
  id,
  position,
  document && JSON.stringify(document),
];

/** Rows per DELETE: a larger batch would hold the write lock too long. */
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
        for (const document of documents) database.run(writeSql(document.collection), ...rowValuesOf(document));
      });
    },
    replace: async (document, from) => {
      const changed =
        from === 0
          ? database.run(insertSql(document.collection), ...rowValuesOf(document))
          : database.run(replaceSql(document.collection), ...rowValuesOf(document), from);
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

/** Read models as JSON documents in one SQLite file, which processes on one machine can share. */
export const openSqliteReadStore = (file: string, collections: readonly Collection[]): ReadStore => {
  const all = withCheckpoints(collections);
  return createReadStore(openSqliteEngine(file, all), all);
};
