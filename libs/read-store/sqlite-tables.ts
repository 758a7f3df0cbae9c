import type { Database } from '#libs/sqlite/database.ts';
import type { Collection } from './port.ts';
import { indexSql, quoted, tableOf } from './sqlite-query.ts';

const isThere = `SELECT 1 FROM sqlite_schema WHERE type = 'index' AND substr(sql, -length(?1)) = ?1`;

/** Makes the table of a collection with its indexes, as far as they are not there. */
export const makeTable = (database: Database, { name, indexes }: Collection): void => {
  database.script(`CREATE TABLE IF NOT EXISTS ${tableOf(name)} (id TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT`);
  for (const paths of indexes) {
    const { on, sql } = indexSql(name, paths);
    if (!database.get(isThere, on)) database.script(sql);
  }
};

/** Lets the table of one collection take the place of another's. */
export const replaceTable = (database: Database, collection: string, by: string): void => database.script(`DROP TABLE ${tableOf(collection)}; ALTER TABLE ${tableOf(by)} RENAME TO ${tableOf(collection)}`);

/** Drops every table whose name ends so. */
export const dropTables = (database: Database, ending: string): void => {
  for (const { name } of database.all(`SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, -length(?1)) = ?1`, ending)) database.script(`DROP TABLE ${quoted(String(name))}`);
};
