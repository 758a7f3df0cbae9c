import { type Database, type Documents, documentsIn } from '#libs/mongodb/connection.ts';
import { isDuplicate } from '#libs/mongodb/trouble.ts';
import { fieldName, sharedCollection } from './mongodb-documents.ts';
import type { Collection } from './port.ts';

/** Where a model stands. `claim` is the step that is being written, `by` the last one that was. */
type Standing = { position: number; claim?: string; by?: string };

/**
 * The one document that says where every model stands, so that a step of many models is decided by one write. `generations` are the collections that serve,
 * by name, where they are not the first ones; `copies` the generation in which a model is being built anew. `layout` changes whenever other collections serve.
 * `together` says which collections lay beside it when it was made: documents stay where they are.
 */
export type Ledger = { _id: string; layout: number; together?: string[]; models?: Record<string, Standing>; generations?: Record<string, string>; copies?: Record<string, string>; journals?: Record<string, string> };

export const ledgerId = 'ledger';

export const ledgerIn = (db: Database): Documents<Ledger> => documentsIn<Ledger>(db, sharedCollection);

/** Makes the ledger where there is none. */
export const prepareLedger = async (db: Database, collections: readonly Collection[]): Promise<void> => {
  const together = collections.filter((one) => one.together).map(({ name }) => name);
  try {
    await ledgerIn(db).updateOne({ _id: ledgerId }, { $setOnInsert: { layout: 0, together } }, { upsert: true });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
};

export const readLedger = async (db: Database): Promise<Ledger> => (await ledgerIn(db).findOne({ _id: ledgerId }, { projection: { journals: 0 } })) ?? { _id: ledgerId, layout: 0 };

/** The name of a model's copy among the models. */
export const copyOf = (model: string, generation: string): string => `${model}@${generation}`;

export const fieldOfModel = (model: string): string => `models.${fieldName(model)}`;
export const fieldOfGeneration = (collection: string): string => `generations.${fieldName(collection)}`;
export const fieldOfCopy = (model: string): string => `copies.${fieldName(model)}`;

const standing = (ledger: Ledger, model: string): Standing | undefined => ledger.models?.[fieldName(model)];

export const positionIn = (ledger: Ledger, model: string): number => standing(ledger, model)?.position ?? 0;
export const claimIn = (ledger: Ledger, model: string): string | undefined => standing(ledger, model)?.claim;
export const lastStepIn = (ledger: Ledger, model: string): string | undefined => standing(ledger, model)?.by;
export const copyIn = (ledger: Ledger, model: string): string | undefined => ledger.copies?.[fieldName(model)];
export const generationIn = (ledger: Ledger, collection: string): string | undefined => ledger.generations?.[fieldName(collection)];

/** The ledger once the models, none of whose steps is being written, have come to a position. */
export const withPositions = (ledger: Ledger, models: readonly string[], position: number): Ledger => ({
  ...ledger,
  models: { ...ledger.models, ...Object.fromEntries(models.map((model) => [fieldName(model), { position }])) },
});

/** Where the documents of a collection lie: under which name of the server, and what their ids begin with there. */
export type Place = { name: string; prefix: string };

/** What the names of all generations but the first begin with. */
const later = (collection: string): string => `${collection}@`;

/** What the names of the server's collections begin with that hold any generation but the first. */
export const laterGenerationsOf = (collection: string): string => `documents.${later(collection)}`;

/** What the ids of documents beside the ledger begin with, and no other ids do, that belong to any generation but the first. */
export const laterIdsOf = (collection: string): { $gte: string; $lt: string } => ({ $gte: later(collection), $lt: `${collection}A` });

export const placeIn = (ledger: Ledger, collection: string, generation: string | undefined): Place => {
  const name = generation === undefined ? collection : later(collection) + generation;
  return ledger.together?.includes(collection) ? { name: sharedCollection, prefix: `${name}/` } : { name: `documents.${name}`, prefix: '' };
};

/** Where those documents lie that serve. */
export const servingPlace = (ledger: Ledger, collection: string): Place => placeIn(ledger, collection, generationIn(ledger, collection));

/** What an update of the ledger is conditional on: the model is at a position, and no step of it is being written. A model that never was anywhere is at 0. */
export const atRest = (model: string, position: number): Record<string, unknown> => ({
  [`${fieldOfModel(model)}.position`]: position === 0 ? { $in: [0, null] } : position,
  [`${fieldOfModel(model)}.claim`]: null,
});
