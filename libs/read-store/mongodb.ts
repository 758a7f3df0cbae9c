import { randomUUID } from 'node:crypto';
import { type Connection, type Database, documentsIn, openConnection } from '#libs/mongodb/connection.ts';
import { type Entry, filterOf, orderOf, type Stored } from './mongodb-documents.ts';
import { copyOf, fieldOfCopy, type Ledger, positionIn, prepareLedger, withPositions } from './mongodb-ledger.ts';
import { layoutOf, openLayout } from './mongodb-layout.ts';
import { beginRebuild, exchange } from './mongodb-rebuild.ts';
import { advance, type Step, take } from './mongodb-steps.ts';
import { openPulse } from './mongodb-pulse.ts';
import { type Collection, type Document, type Held, type ModelWriter, type ReadStore, RebuildSuperseded, type Update } from './port.ts';

/** A step as it is wanted. */
type Wanted = { from: number; to: number; updates: readonly Update[] };
/** How a caller sees the store: what serves, or with a copy of one model in its place. */
type View = {
  modelOf(model: string): string;
  collectionOf(ledger: Ledger, collection: string): string;
  /** What steps depend on beside where their models are. @throws RebuildSuperseded where there can be none any more */
  when(ledger: Ledger): Record<string, unknown>;
};

const parsed = ({ json }: Pick<Stored, 'json'>): Document => JSON.parse(json!) as Document;

/** Of several changes of one document the last one. */
const entriesOf = (updates: readonly Update[], nameOf: (collection: string) => string): Entry[] => {
  const entries = new Map<string, Entry>();
  for (const { collection, id, document, isNew } of updates.flatMap(({ changes }) => changes)) {
    entries.set(`${collection}\n${id}`, { collection: nameOf(collection), id, json: document === null ? null : JSON.stringify(document), ...(isNew ? { isNew } : {}) });
  }
  return [...entries.values()];
};

/**
 * Read models in MongoDB, shared by any number of processes. While a step is being written readers may see a part of it; a model's checkpoint moves
 * when all of it is there. `setting` is where the address stands, for messages.
 */
export const openMongoReadStore = async (url: string, collections: readonly Collection[], setting = 'READ_STORE_URL'): Promise<ReadStore & Pick<Connection, 'missing'>> => {
  const layout = openLayout(collections);
  const pulse = openPulse();
  const connection = openConnection(url, setting, async (db) => {
    await prepareLedger(db);
    await layout.prepare(db);
  });

  const serving: View = { modelOf: (model) => model, collectionOf: layoutOf, when: ({ layout: number }) => ({ layout: number }) };

  const stepOf = (view: View, ledger: Ledger, { from, to, updates }: Wanted): Omit<Step, 'id'> => ({
    from, to,
    models: updates.map(({ model }) => view.modelOf(model)),
    when: view.when(ledger),
    entries: entriesOf(updates, (collection) => view.collectionOf(ledger, collection)),
  });
  /** Where other collections have come to serve, the step goes into those. */
  const apply = async (db: Database, wanted: Wanted): Promise<boolean> => {
    const id = randomUUID();
    const attempt = (ledger: Ledger): ReturnType<typeof take> => take(db, { id, ...stepOf(serving, ledger, wanted) });
    let outcome = await attempt(await layout.known(db));
    while (outcome === 'changed') outcome = await attempt(await layout.fresh(db));
    if (outcome === 'taken') pulse.beat();
    return outcome === 'taken';
  };
  const heldIn = async (db: Database, name: string, id: string): Promise<Held> => {
    const found = await documentsIn<Stored>(db, name).findOne({ _id: id }, { projection: { json: 1, p: 1 } });
    return { document: found?.json === undefined ? null : parsed(found), at: found?.p ?? 0 };
  };
  const checkpointOf = async (db: Database, model: string): Promise<number> => positionIn(await layout.fresh(db), model);

  const copyView = (model: string, generation: string, names: readonly string[]): View => ({
    modelOf: (one) => (one === model ? copyOf(model, generation) : one),
    collectionOf: (ledger, collection) => (names.includes(collection) ? layout.nameIn(collection, generation) : layoutOf(ledger, collection)),
    when: (ledger) => {
      if (!layout.isCopy(ledger, model, generation)) throw new RebuildSuperseded(model);
      return { layout: ledger.layout, [fieldOfCopy(model)]: generation };
    },
  });
  const writerOf = (view: View): ModelWriter => {
    /** The ledger that this writer goes by, brought forward by its own steps. */
    let basis: Promise<Ledger> | undefined;
    const based = (db: Database): Promise<Ledger> => (basis ??= layout.fresh(db));
    const orForgotten = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (error) {
        basis = undefined;
        throw error;
      }
    };
    const use = <T>(work: (db: Database) => Promise<T>): Promise<T> => orForgotten(connection.use(work));
    return {
      held: (collection, id) => use(async (db) => heldIn(db, view.collectionOf(await based(db), collection), id)),
      checkpoint: (model) => {
        basis = undefined;
        return use(async (db) => positionIn(await based(db), view.modelOf(model)));
      },
      advance: (from, to, updates) =>
        use(async (db) => {
          if (updates.length === 0) return true;
          const ledger = await based(db);
          const step = stepOf(view, ledger, { from, to, updates });
          const isThere = step.models.every((model) => positionIn(ledger, model) === from);
          const taken = isThere && (await advance(db, step));
          basis = taken ? Promise.resolve(withPositions(ledger, step.models, to)) : undefined;
          if (taken) pulse.beat();
          else view.when(await layout.fresh(db));
          return taken;
        }),
    };
  };

  return {
    get: async (collection, id) => (await connection.use(async (db) => heldIn(db, layoutOf(await layout.known(db), collection), id))).document,
    checkpoint: (model) => connection.use((db) => checkpointOf(db, model)),
    apply: (model, from, to, changes) => connection.use((db) => apply(db, { from, to, updates: [{ model, changes }] })),
    writer: () => writerOf(serving),
    find: (collection, { where, range, sort, limit, skip = 0 }) =>
      connection.use(async (db) => {
        if (limit === 0) return [];
        const name = layoutOf(await layout.known(db), collection);
        const found = documentsIn<Stored>(db, name).find(filterOf(where, range) as object, { projection: { json: 1 }, sort: orderOf(sort), limit, skip, batchSize: limit });
        return (await found.toArray()).map(parsed);
      }),
    count: (collection, where) => connection.use(async (db) => documentsIn<Stored>(db, layoutOf(await layout.known(db), collection)).countDocuments(filterOf(where) as object)),
    reached: (model, position, timeoutMs) => pulse.until(async () => connection.closed() || (await connection.use((db) => checkpointOf(db, model))) >= position, timeoutMs).then((there) => there && !connection.closed()),
    reset: (model, names) => connection.use((db) => exchange(db, layout, model, names)),
    rebuild: (model, names) =>
      connection.use(async (db) => {
        const { generation, switchOver, forget, abandon } = await beginRebuild(db, layout, model, names);
        const switchAndForget = async (): Promise<boolean> => {
          const switched = await connection.use(switchOver);
          // Nobody has to wait for it: what is left is removed by the next rebuild.
          if (switched) connection.use(forget).catch(() => undefined);
          return switched;
        };
        return { copy: writerOf(copyView(model, generation, names)), switchOver: switchAndForget, abandon: () => connection.use(abandon) };
      }),
    missing: () => connection.missing(),
    close: async () => {
      pulse.stop();
      await connection.close();
    },
  };
};
