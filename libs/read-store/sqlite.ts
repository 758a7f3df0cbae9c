import { setImmediate } from 'node:timers/promises';
import { openDatabase, type Parameters, type Row } from '#libs/sqlite/database.ts';
import { openMark } from '#libs/sqlite/mark.ts';
import type { Collection, Document, DocumentEngine, ReadStore, StoredDocument } from './port.ts';
import { createReadStore, withCheckpoints } from './read-models.ts';
import {
  countSql, findSql, generationsSql, indexSql, insertSql, replaceSql, tableOf, tableSql, writeSql,
} from './sqlite-query.ts';

const parsed = (row: Row): Document => JSON.parse(row.document as string) as Document;
/** A document as the values of its row. */
const valuesOf = ({ generation, id, position, document }: StoredDocument): Parameters => [
  generation, id, position, document && JSON.stringify(document),
];

/** Removed at once, so that other processes wait for the write lock no longer. */
const rowsAtOnce = 1_000;

const openEngine = (file: string, collections: readonly Collection[]): DocumentEngine => {
  const database = openDatabase(file, 'normal');
  for (const { name, indexes } of collections) {
    database.script(tableSql(name));
    for (const paths of indexes) database.script(indexSql(name, paths));
  }
  return {
    read: async ({ collection, generation, id }) => {
      const sql = `SELECT document, position FROM ${tableOf(collection)} WHERE generation = ? AND id = ?`;
      const row = database.get(sql, generation, id);
      if (!row) return { document: null, position: 0 };
      return { document: row.document === null ? null : parsed(row), position: Number(row.position) };
    },
    write: async (documents) => {
      if (documents.length === 0) return;
      database.transaction(() => {
        for (const one of documents) database.run(writeSql(one.collection), ...valuesOf(one));
      });
    },
    replace: async (one, from) => {
      const changed =
        from === 0
          ? database.run(insertSql(one.collection), ...valuesOf(one))
          : database.run(replaceSql(one.collection), ...valuesOf(one), from);
      return changed === 1;
    },
    find: async (collection, generation, query) => {
      const { sql, parameters } = findSql(collection, generation, query);
      return database.all(sql, ...parameters).map(parsed);
    },
    count: async (collection, generation, where) => {
      const { sql, parameters } = countSql(collection, generation, where);
      return Number(database.get(sql, ...parameters)!.n);
    },
    prepare: async () => undefined,
    generations: async (collection) => database.all(generationsSql(collection)).map(({ name }) => String(name)),
    drop: async (collection, generation) => {
      const rows = `SELECT rowid FROM ${tableOf(collection)} WHERE generation = ? LIMIT ${rowsAtOnce}`;
      const sql = `DELETE FROM ${tableOf(collection)} WHERE rowid IN (${rows})`;
      while (database.run(sql, generation) === rowsAtOnce) await setImmediate();
    },
    ...openMark(database),
    close: async () => database.close(),
  };
};

/** Read models as JSON documents in one SQLite file, which the processes of one machine may share. */
export const openSqliteReadStore = (file: string, collections: readonly Collection[]): ReadStore => {
  const all = withCheckpoints(collections);
  return createReadStore(openEngine(file, all), all);
};
