import { type Connection, type Database, documentsIn } from '#libs/mongodb/connection.ts';
import { type Entry, fieldsOf, type Stored } from './mongodb-documents.ts';
import type { Layout } from './mongodb-layout.ts';
import { copyOf, fieldOfCopy, type Ledger, type Place, placeIn, positionIn, servingPlace, withPositions } from './mongodb-ledger.ts';
import { advance, type Step } from './mongodb-steps.ts';
import { type Change, type Document, type Held, type ModelWriter, RebuildSuperseded, type Update } from './port.ts';

/** How a writer sees the store: what serves, or with a copy of one model in its place. */
export type View = {
  modelOf(model: string): string;
  placeOf(ledger: Ledger, collection: string): Place;
  /** What steps depend on beside where their models are. @throws RebuildSuperseded where there can be none any more */
  when(ledger: Ledger): Record<string, unknown>;
};

export const serving: View = { modelOf: (model) => model, placeOf: servingPlace, when: ({ layout }) => ({ layout }) };

/** The copy of a model that is built anew in a generation, with these collections. */
export const copyView = (layout: Layout, model: string, generation: string, names: readonly string[]): View => ({
  modelOf: (one) => (one === model ? copyOf(model, generation) : one),
  placeOf: (ledger, collection) => (names.includes(collection) ? placeIn(ledger, collection, generation) : servingPlace(ledger, collection)),
  when: (ledger) => {
    if (!layout.isCopy(ledger, model, generation)) throw new RebuildSuperseded(model);
    return { layout: ledger.layout, [fieldOfCopy(model)]: generation };
  },
});

/** Of several changes of one document the last one. */
const lastOf = (updates: readonly Update[]): Change[] => [...new Map(updates.flatMap(({ changes }) => changes).map((change) => [`${change.collection}\n${change.id}`, change])).values()];

const entryOf = ({ id, document }: Change, { name, prefix }: Place, fields: readonly string[]): Entry => ({
  collection: name, id: prefix + id,
  ...(document === null ? { json: null } : { json: JSON.stringify(document), fields: fieldsOf(document, fields) }),
});

/** `onTaken` is told of each step that is taken. */
export type WriterParts = { connection: Pick<Connection, 'use'>; layout: Layout; view: View; onTaken: () => void };

/** A step as it is wanted. */
export type Wanted = { from: number; to: number; updates: readonly Update[] };

export const stepOf = ({ view, layout }: Pick<WriterParts, 'view' | 'layout'>, ledger: Ledger, { from, to, updates }: Wanted): Omit<Step, 'id'> => ({
  from, to,
  models: updates.map(({ model }) => view.modelOf(model)),
  when: view.when(ledger),
  entries: lastOf(updates).map((change) => entryOf(change, view.placeOf(ledger, change.collection), layout.fieldsOf(change.collection))),
});

export const parsed = ({ json }: Pick<Stored, 'json'>): Document => JSON.parse(json!) as Document;

export const heldIn = async (db: Database, { name, prefix }: Place, id: string): Promise<Held> => {
  const found = await documentsIn<Stored>(db, name).findOne({ _id: prefix + id }, { projection: { json: 1, p: 1 } });
  return { document: found?.json === undefined ? null : parsed(found), at: found?.p ?? 0 };
};

export const createWriter = ({ connection, layout, view, onTaken }: WriterParts): ModelWriter => {
  /** The ledger that this writer goes by, brought forward by its own steps. */
  let basis: Promise<Ledger> | undefined;
  const based = (db: Database): Promise<Ledger> => (basis ??= layout.fresh(db));
  const use = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
    try {
      return await connection.use(work);
    } catch (error) {
      basis = undefined;
      throw error;
    }
  };
  return {
    held: (collection, id) => use(async (db) => heldIn(db, view.placeOf(await based(db), collection), id)),
    checkpoint: (model) => {
      basis = undefined;
      return use(async (db) => positionIn(await based(db), view.modelOf(model)));
    },
    advance: (from, to, updates) =>
      use(async (db) => {
        if (updates.length === 0) return true;
        const ledger = await based(db);
        const step = stepOf({ view, layout }, ledger, { from, to, updates });
        const isThere = step.models.every((model) => positionIn(ledger, model) === from);
        const taken = isThere && (await advance(db, step));
        basis = taken ? Promise.resolve(withPositions(ledger, step.models, to)) : undefined;
        if (taken) onTaken();
        // A copy that was given up ends here.
        else view.when(await layout.fresh(db));
        return taken;
      }),
  };
};
