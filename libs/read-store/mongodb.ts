import { randomUUID } from 'node:crypto';
import { type Connection, type Database, openConnection } from '#libs/mongodb/connection.ts';
import { type Entry, filterOf, orderOf, type Stored } from './mongodb-documents.ts';
import { copyOf, fieldOfCopy, type Ledger, positionIn, prepareLedger } from './mongodb-ledger.ts';
import { layoutOf, openLayout } from './mongodb-layout.ts';
import { beginRebuild, exchange } from './mongodb-rebuild.ts';
import { take } from './mongodb-steps.ts';
import { openPulse } from './mongodb-pulse.ts';
import { type Change, type Collection, type Document, type ModelStore, type ReadStore, RebuildSuperseded } from './port.ts';

type Update = { model: string; changes: readonly Change[] };
/** A step as it is wanted. Where other collections have come to serve, one that `insists` goes into those; else its documents are made again by whoever wants it. */
type Wanted = { from: number; to: number; updates: readonly Update[]; insists: boolean };
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

  const applyTo = async (db: Database, view: View, known: Ledger, { from, to, updates, insists }: Wanted): Promise<boolean> => {
    if (updates.length === 0) return true;
    const models = updates.map(({ model }) => view.modelOf(model));
    const id = randomUUID();
    const attempt = (ledger: Ledger): ReturnType<typeof take> => {
      const when = view.when(ledger);
      return take(db, { id, models, from, to, when, entries: entriesOf(updates, (collection) => view.collectionOf(ledger, collection)) });
    };
    let outcome = await attempt(known);
    while (outcome === 'changed' && insists) outcome = await attempt(await layout.fresh(db));
    if (outcome === 'taken') pulse.beat();
    else view.when(await layout.fresh(db));
    return outcome === 'taken';
  };

  /** The layout at this process's last step together. Whoever took it may know documents of it by heart: where others have come to serve, they are out of date. */
  let lastLayout: number | undefined;
  const applyTogether = async (db: Database, from: number, to: number, updates: readonly Update[]): Promise<boolean> => {
    const known = await layout.known(db);
    const isOther = lastLayout !== undefined && lastLayout !== known.layout;
    const taken = !isOther && (await applyTo(db, serving, known, { from, to, updates, insists: false }));
    lastLayout = (taken ? known : await layout.known(db)).layout;
    return taken;
  };
  const getFrom = async (db: Database, view: View, collection: string, id: string): Promise<Document | null> => {
    const name = view.collectionOf(await layout.known(db), collection);
    const found = await db.collection<Stored>(name).findOne({ _id: id }, { projection: { json: 1 } });
    return found?.json === undefined ? null : parsed(found);
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
  const storeOf = (view: View): ModelStore => ({
    get: (collection, id) => connection.use((db) => getFrom(db, view, collection, id)),
    checkpoint: (model) => connection.use((db) => checkpointOf(db, view.modelOf(model))),
    apply: (model, from, to, changes) => connection.use(async (db) => applyTo(db, view, await layout.known(db), { from, to, updates: [{ model, changes }], insists: true })),
  });

  return {
    ...storeOf(serving),
    find: (collection, { where, range, sort, limit, skip = 0 }) =>
      connection.use(async (db) => {
        if (limit === 0) return [];
        const name = layoutOf(await layout.known(db), collection);
        const found = db.collection<Stored>(name).find(filterOf(where, range) as object, { projection: { json: 1 }, sort: orderOf(sort), limit, skip, batchSize: limit });
        return (await found.toArray()).map(parsed);
      }),
    count: (collection, where) => connection.use(async (db) => db.collection<Stored>(layoutOf(await layout.known(db), collection)).countDocuments(filterOf(where) as object)),
    applyTogether: (from, to, updates) => connection.use((db) => applyTogether(db, from, to, updates)),
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
        return { copy: storeOf(copyView(model, generation, names)), switchOver: switchAndForget, abandon: () => connection.use(abandon) };
      }),
    missing: () => connection.missing(),
    close: async () => {
      pulse.stop();
      await connection.close();
    },
  };
};
