import { openBell } from '#libs/sqlite/bell.ts';
import { openDatabase, type Row } from '#libs/sqlite/database.ts';
import type { Change, Collection, Document, ReadStore } from './port.ts';
import { countSql, findSql, indexSql, tableOf } from './sqlite-query.ts';

const parsed = (row: Row): Document => JSON.parse(row.document as string) as Document;
const recheckMs = 20;

const countAt = `SELECT count(*) AS n FROM json_each(?1) LEFT JOIN checkpoints ON model = value WHERE coalesce(position, 0) = ?2`;
const moveAll = 'INSERT INTO checkpoints SELECT value, ?2 FROM json_each(?1) WHERE true ON CONFLICT (model) DO UPDATE SET position = ?2';

/** Read models as JSON documents in one SQLite file, shared by the processes of one machine. */
export const openSqliteReadStore = (file: string, collections: readonly Collection[]): ReadStore => {
  const database = openDatabase(file, 'normal');
  database.script('CREATE TABLE IF NOT EXISTS checkpoints (model TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT');
  for (const { name, indexes } of collections) {
    database.script(`CREATE TABLE IF NOT EXISTS ${tableOf(name)} (id TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT`);
    for (const paths of indexes) database.script(indexSql(name, paths));
  }
  const bell = openBell(recheckMs, () => true);

  const checkpoint = (model: string): number => Number(database.get('SELECT position FROM checkpoints WHERE model = ?', model)?.position ?? 0);
  const moveCheckpoint = (model: string, position: number): void =>
    void database.run('INSERT INTO checkpoints VALUES (?1, ?2) ON CONFLICT (model) DO UPDATE SET position = ?2', model, position);

  const write = ({ collection, id, document }: Change): void => {
    if (document === null) database.run(`DELETE FROM ${tableOf(collection)} WHERE id = ?`, id);
    else database.run(`INSERT INTO ${tableOf(collection)} VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET document = ?2`, id, JSON.stringify(document));
  };

  return {
    get: async (collection, id) => {
      const row = database.get(`SELECT document FROM ${tableOf(collection)} WHERE id = ?`, id);
      return row ? parsed(row) : null;
    },
    find: async (collection, query) => {
      const { sql, parameters } = findSql(collection, query);
      return database.all(sql, ...parameters).map(parsed);
    },
    count: async (collection, where) => {
      const { sql, parameters } = countSql(collection, where);
      return Number(database.get(sql, ...parameters)!.n);
    },
    checkpoint: async (model) => checkpoint(model),
    apply: async (model, from, to, changes) => {
      const applied = database.transaction(() => {
        if (checkpoint(model) !== from) return false;
        changes.forEach(write);
        moveCheckpoint(model, to);
        return true;
      });
      if (applied) bell.ring();
      return applied;
    },
    applyTogether: async (from, to, updates) => {
      const models = JSON.stringify(updates.map(({ model }) => model));
      const applied = database.transaction(() => {
        if (Number(database.get(countAt, models, from)!.n) !== updates.length) return false;
        for (const { changes } of updates) changes.forEach(write);
        database.run(moveAll, models, to);
        return true;
      });
      if (applied) bell.ring();
      return applied;
    },
    reached: async (model, position, timeoutMs) => {
      if (checkpoint(model) >= position) return true;
      const deadline = AbortSignal.timeout(timeoutMs);
      while (!deadline.aborted && !bell.closed()) {
        await bell.heard(deadline);
        if (!bell.closed() && checkpoint(model) >= position) return true;
      }
      return false;
    },
    reset: async (model, names) =>
      database.transaction(() => {
        names.forEach((name) => database.run(`DELETE FROM ${tableOf(name)}`));
        moveCheckpoint(model, 0);
      }),
    close: async () => {
      bell.close();
      database.close();
    },
  };
};
