import { openDatabase, type Row } from '#libs/sqlite/database.ts';
import type { Change, Collection, Document, Query, ReadStore, Scalar } from './port.ts';

const table = (collection: string): string => `"documents_${collection.replaceAll('"', '')}"`;
const field = (path: string): string => `document ->> '$.${path.replaceAll("'", '')}'`;
const parameterOf = (value: Scalar): string | number | null => (typeof value === 'boolean' ? Number(value) : value);

const whereClause = (where: Query['where']): { sql: string; parameters: (string | number | null)[] } => {
  const entries = Object.entries(where);
  return {
    sql: entries.length === 0 ? '' : ` WHERE ${entries.map(([path]) => `${field(path)} IS ?`).join(' AND ')}`,
    parameters: entries.map(([, value]) => parameterOf(value)),
  };
};

const parsed = (row: Row): Document => JSON.parse(row.document as string) as Document;
const recheckMs = 20;

/** Read models as JSON documents in one SQLite file, shared by the processes of one machine. */
export const openSqliteReadStore = (file: string, collections: readonly Collection[]): ReadStore => {
  const database = openDatabase(file, 'normal');
  database.run('CREATE TABLE IF NOT EXISTS checkpoints (model TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT');
  for (const { name, indexes } of collections) {
    database.run(`CREATE TABLE IF NOT EXISTS ${table(name)} (id TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT`);
    for (const paths of indexes) {
      database.run(`CREATE INDEX IF NOT EXISTS "by_${name}_${paths.join('_')}" ON ${table(name)} (${paths.map(field).join(', ')})`);
    }
  }

  const checkpoint = (model: string): number => Number(database.get('SELECT position FROM checkpoints WHERE model = ?', model)?.position ?? 0);
  const moveCheckpoint = (model: string, position: number): void =>
    void database.run('INSERT INTO checkpoints VALUES (?1, ?2) ON CONFLICT (model) DO UPDATE SET position = ?2', model, position);

  const write = ({ collection, id, document }: Change): void => {
    if (document === null) database.run(`DELETE FROM ${table(collection)} WHERE id = ?`, id);
    else database.run(`INSERT INTO ${table(collection)} VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET document = ?2`, id, JSON.stringify(document));
  };

  const sleepers = new Set<() => void>();

  return {
    get: async (collection, id) => {
      const row = database.get(`SELECT document FROM ${table(collection)} WHERE id = ?`, id);
      return row ? parsed(row) : null;
    },
    find: async (collection, { where, sort, limit, skip = 0 }) => {
      const { sql, parameters } = whereClause(where);
      const order = sort ? ` ORDER BY ${field(sort.by)} ${sort.descending ? 'DESC' : 'ASC'}, id ${sort.descending ? 'DESC' : 'ASC'}` : ' ORDER BY id';
      return database.all(`SELECT document FROM ${table(collection)}${sql}${order} LIMIT ? OFFSET ?`, ...parameters, limit, skip).map(parsed);
    },
    count: async (collection, where) => {
      const { sql, parameters } = whereClause(where);
      return Number(database.get(`SELECT count(*) AS n FROM ${table(collection)}${sql}`, ...parameters)!.n);
    },
    checkpoint: async (model) => checkpoint(model),
    apply: async (model, from, to, changes) => {
      const applied = database.transaction(() => {
        if (checkpoint(model) !== from) return false;
        changes.forEach(write);
        moveCheckpoint(model, to);
        return true;
      });
      if (applied) for (const wake of sleepers) wake();
      return applied;
    },
    reached: (model, position, timeoutMs) =>
      new Promise((resolve) => {
        const finish = (answer: boolean): void => {
          sleepers.delete(look);
          clearInterval(recheck);
          clearTimeout(deadline);
          resolve(answer);
        };
        const look = (): void => {
          if (checkpoint(model) >= position) finish(true);
        };
        sleepers.add(look);
        const recheck = setInterval(look, recheckMs);
        const deadline = setTimeout(() => finish(false), timeoutMs);
        look();
      }),
    reset: async (model, names) =>
      database.transaction(() => {
        names.forEach((name) => database.run(`DELETE FROM ${table(name)}`));
        moveCheckpoint(model, 0);
      }),
    close: async () => database.close(),
  };
};
