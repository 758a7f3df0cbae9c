import { randomUUID } from 'node:crypto';
import type { Database } from '#libs/sqlite/database.ts';
import { type Collection, RebuildSuperseded } from './port.ts';
import { dropTables, makeTable, replaceTable } from './sqlite-tables.ts';

/** What is being rebuilt, and under which ending its tables and its checkpoint go meanwhile. */
export const rebuildsSchema = 'CREATE TABLE IF NOT EXISTS rebuilds (model TEXT PRIMARY KEY, ending TEXT NOT NULL) STRICT';

const forget = (database: Database, model: string, ending: string): void => {
  dropTables(database, ending);
  database.run('DELETE FROM checkpoints WHERE model = ?', model + ending);
  database.run('DELETE FROM rebuilds WHERE model = ? AND ending = ?', model, ending);
};

const endingOf = (database: Database, model: string): string | undefined => database.get('SELECT ending FROM rebuilds WHERE model = ?', model)?.ending as string | undefined;

/** Makes the tables of a copy; an earlier copy of the model that was not switched over is given up. */
export const beginRebuild = (database: Database, model: string, collections: readonly Collection[]) => {
  const ending = `@${randomUUID().slice(0, 8)}`;
  const names = new Set(collections.map(({ name }) => name));
  database.transaction(() => {
    const before = endingOf(database, model);
    if (before) forget(database, model, before);
    for (const { name, indexes } of collections) makeTable(database, { name: name + ending, indexes });
    database.run('INSERT INTO rebuilds VALUES (?, ?)', model, ending);
  });
  const position = (one: string): number => Number(database.get('SELECT position FROM checkpoints WHERE model = ?', one)?.position ?? 0);
  /** @throws RebuildSuperseded */
  const check = (): void => {
    if (endingOf(database, model) !== ending) throw new RebuildSuperseded(model);
  };
  return {
    check,
    modelOf: (one: string): string => (one === model ? model + ending : one),
    collectionOf: (collection: string): string => (names.has(collection) ? collection + ending : collection),
    switchOver: async (): Promise<boolean> =>
      database.transaction(() => {
        check();
        const built = position(model + ending);
        if (built < position(model)) return false;
        for (const name of names) replaceTable(database, name, name + ending);
        database.run('INSERT INTO checkpoints VALUES (?1, ?2) ON CONFLICT (model) DO UPDATE SET position = ?2', model, built);
        forget(database, model, ending);
        return true;
      }),
    abandon: async (): Promise<void> => database.transaction(() => forget(database, model, ending)),
  };
};
