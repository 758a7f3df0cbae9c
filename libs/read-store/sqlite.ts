import { openBell } from '#libs/sqlite/bell.ts';
import { openDatabase, type Row } from '#libs/sqlite/database.ts';
import { openMark } from '#libs/sqlite/mark.ts';
import { requireDeclared } from './declared.ts';
import type { Change, Collection, Document, ModelWriter, ReadStore, Update } from './port.ts';
import { countSql, findSql, tableOf } from './sqlite-query.ts';
import { beginRebuild, rebuildsSchema } from './sqlite-rebuild.ts';
import { makeTable } from './sqlite-tables.ts';

const parsed = (row: Row): Document => JSON.parse(row.document as string) as Document;
const recheckMs = 20;

const countAt = `SELECT count(*) AS n FROM json_each(?1) LEFT JOIN checkpoints ON model = value WHERE coalesce(position, 0) = ?2`;
const moveAll = 'INSERT INTO checkpoints SELECT value, ?2 FROM json_each(?1) WHERE true ON CONFLICT (model) DO UPDATE SET position = ?2';

/** Read models as JSON documents in one SQLite file, shared by the processes of one machine. */
export const openSqliteReadStore = (file: string, collections: readonly Collection[]): ReadStore => {
  const database = openDatabase(file, 'normal');
  database.script('CREATE TABLE IF NOT EXISTS checkpoints (model TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT');
  database.script(rebuildsSchema);
  for (const collection of collections) makeTable(database, collection);
  const mark = openMark(database);
  const requireFields = requireDeclared(collections);
  const bell = openBell(recheckMs, () => true);

  const checkpoint = (model: string): number => Number(database.get('SELECT position FROM checkpoints WHERE model = ?', model)?.position ?? 0);
  const moveCheckpoint = (model: string, position: number): void =>
    void database.run('INSERT INTO checkpoints VALUES (?1, ?2) ON CONFLICT (model) DO UPDATE SET position = ?2', model, position);

  const write = ({ collection, id, document }: Change): void => {
    if (document === null) database.run(`DELETE FROM ${tableOf(collection)} WHERE id = ?`, id);
    else database.run(`INSERT INTO ${tableOf(collection)} VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET document = ?2`, id, JSON.stringify(document));
  };

  const get = (collection: string, id: string): Document | null => {
    const row = database.get(`SELECT document FROM ${tableOf(collection)} WHERE id = ?`, id);
    return row ? parsed(row) : null;
  };
  const apply = (model: string, from: number, to: number, changes: readonly Change[]): boolean =>
    database.transaction(() => {
      if (checkpoint(model) !== from) return false;
      changes.forEach(write);
      moveCheckpoint(model, to);
      return true;
    });

  const tables = (): number => Number(database.get('PRAGMA schema_version')!.schema_version);
  /** To be called within a transaction. */
  const advance = (from: number, to: number, updates: readonly Update[]): boolean => {
    const models = JSON.stringify(updates.map(({ model }) => model));
    if (Number(database.get(countAt, models, from)!.n) !== updates.length) return false;
    for (const { changes } of updates) changes.forEach(write);
    database.run(moveAll, models, to);
    return true;
  };

  const copyOf = ({ check, modelOf, collectionOf }: ReturnType<typeof beginRebuild>): ModelWriter => {
    const checked = <T>(work: () => T): T => {
      check();
      return work();
    };
    const ofCopy = (changes: readonly Change[]): Change[] => changes.map((change) => ({ ...change, collection: collectionOf(change.collection) }));
    return {
      held: async (collection, id) => checked(() => ({ document: get(collectionOf(collection), id), at: 0 })),
      checkpoint: async (model) => checked(() => checkpoint(modelOf(model))),
      advance: async (from, to, updates) => database.transaction(() => checked(() => advance(from, to, updates.map(({ model, changes }) => ({ model: modelOf(model), changes: ofCopy(changes) }))))),
    };
  };

  return {
    get: async (collection, id) => get(collection, id),
    find: async (collection, query) => {
      requireFields(collection, query);
      const { sql, parameters } = findSql(collection, query);
      return database.all(sql, ...parameters).map(parsed);
    },
    count: async (collection, where) => {
      requireFields(collection, { where });
      const { sql, parameters } = countSql(collection, where);
      return Number(database.get(sql, ...parameters)!.n);
    },
    checkpoint: async (model) => checkpoint(model),
    apply: async (model, from, to, changes) => {
      const applied = apply(model, from, to, changes);
      if (applied) bell.ring();
      return applied;
    },
    writer: () => {
      /** The tables that this writer reads and writes: a rebuild puts others in their place. */
      let basis: number | undefined;
      return {
        held: async (collection, id) => {
          basis ??= tables();
          return { document: get(collection, id), at: 0 };
        },
        checkpoint: async (model) => {
          basis = tables();
          return checkpoint(model);
        },
        advance: async (from, to, updates) => {
          const advanced = database.transaction(() => (basis === undefined || basis === tables()) && advance(from, to, updates));
          if (advanced) bell.ring();
          else basis = undefined;
          return advanced;
        },
      };
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
    rebuild: async (model, names) => {
      const rebuild = beginRebuild(database, model, names.map((name) => collections.find((one) => one.name === name) ?? { name, indexes: [] }));
      return { copy: copyOf(rebuild), switchOver: rebuild.switchOver, abandon: rebuild.abandon };
    },
    ...mark,
    close: async () => {
      bell.close();
      database.close();
    },
  };
};
