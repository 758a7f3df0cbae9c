import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, documentsIn } from '#libs/mongodb/connection.ts';
import { isAbsent } from '#libs/mongodb/trouble.ts';
import { idsWithin, sharedCollection, type Stored } from './mongodb-documents.ts';
import { type Layout, servedKeptMs } from './mongodb-layout.ts';
import { atRest, copyIn, copyOf, fieldOfCopy, fieldOfGeneration, fieldOfModel, laterGenerationsOf, laterIdsOf, ledgerId, ledgerIn, type Place, placeIn, positionIn, servingPlace } from './mongodb-ledger.ts';
import { finishOthers } from './mongodb-steps.ts';
import { RebuildSuperseded } from './port.ts';

const newGeneration = (): string => randomUUID().slice(0, 8);

const drop = async (db: Database, name: string): Promise<void> => {
  await db.dropCollection(name).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
};

/** Where documents of a collection lie in generations but the first, be they wanted or not. */
const laterPlaces = async (db: Database, collection: string, names: readonly string[]): Promise<Place[]> => {
  const places = names.filter((name) => name.startsWith(laterGenerationsOf(collection))).map((name) => ({ name, prefix: '' }));
  const { $gte: first, $lt } = laterIdsOf(collection);
  for (let $gte = first; ; ) {
    const next = await documentsIn<Stored>(db, sharedCollection).findOne({ _id: { $gte, $lt } }, { sort: { _id: 1 }, projection: { _id: 1 } });
    if (!next) return places;
    const prefix = next._id.slice(0, next._id.indexOf('/', collection.length) + 1);
    places.push({ name: sharedCollection, prefix });
    $gte = idsWithin(prefix).$lt;
  }
};

const empty = async (db: Database, { name, prefix }: Place): Promise<void> => {
  if (prefix === '') await drop(db, name);
  else await documentsIn<Stored>(db, name).deleteMany({ _id: idsWithin(prefix) });
};

/** Removes what is left of collections in generations that neither serve nor are being built. */
const sweep = async (db: Database, layout: Layout, model: string, names: readonly string[]): Promise<void> => {
  const there = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  for (const collection of names) {
    const later = await laterPlaces(db, collection, there);
    // Read second: what was there by then and still belongs to somebody is in it.
    const ledger = await layout.fresh(db);
    const copy = copyIn(ledger, model);
    const wanted = [servingPlace(ledger, collection), ...(copy === undefined ? [] : [placeIn(ledger, collection, copy)])];
    const isWanted = ({ name, prefix }: Place): boolean => wanted.some((place) => place.name === name && place.prefix === prefix);
    for (const place of [placeIn(ledger, collection, undefined), ...later]) if (!isWanted(place)) await empty(db, place);
  }
};

const serve = (names: readonly string[], generation: string): Record<string, string> => Object.fromEntries(names.map((name) => [fieldOfGeneration(name), generation]));

const indexAll = async (db: Database, layout: Layout, names: readonly string[], generation: string): Promise<void> => {
  const ledger = await layout.known(db);
  for (const name of names) await layout.index(db, name, placeIn(ledger, name, generation).name);
};

/** Empties a model: its collections in a new generation serve, and what a late writer still brings goes to the old one. */
export const exchange = async (db: Database, layout: Layout, model: string, names: readonly string[]): Promise<void> => {
  const generation = newGeneration();
  await ledgerIn(db).updateOne({ _id: ledgerId }, { $set: { [fieldOfModel(model)]: { position: 0 }, ...serve(names, generation) }, $inc: { layout: 1 } });
  await indexAll(db, layout, names, generation);
  await sweep(db, layout, model, names);
};

const tryToSwitch = async (db: Database, layout: Layout, model: string, names: readonly string[], generation: string): Promise<boolean> => {
  const copy = copyOf(model, generation);
  for (;;) {
    const ledger = await layout.fresh(db);
    if (copyIn(ledger, model) !== generation) throw new RebuildSuperseded(model);
    const [position, served] = [positionIn(ledger, copy), positionIn(ledger, model)];
    if (position < served) return false;
    await finishOthers(db, ledger, [model, copy]);
    const condition = { _id: ledgerId, [fieldOfCopy(model)]: generation, ...atRest(copy, position), ...atRest(model, served) };
    const { matchedCount } = await ledgerIn(db).updateOne(condition, {
      $set: { [fieldOfModel(model)]: { position }, ...serve(names, generation) },
      $unset: { [fieldOfCopy(model)]: true, [fieldOfModel(copy)]: true },
      $inc: { layout: 1 },
    });
    if (matchedCount === 1) return true;
  }
};

/** Begins a copy of a model in a generation of its own; an earlier copy that was not switched over is given up. */
export const beginRebuild = async (db: Database, layout: Layout, model: string, names: readonly string[]) => {
  const generation = newGeneration();
  const before = copyIn(await layout.fresh(db), model);
  await ledgerIn(db).updateOne({ _id: ledgerId }, { $set: { [fieldOfCopy(model)]: generation }, ...(before === undefined ? {} : { $unset: { [fieldOfModel(copyOf(model, before))]: true } }) });
  await sweep(db, layout, model, names);
  await indexAll(db, layout, names, generation);

  return {
    generation,
    switchOver: async (db: Database): Promise<boolean> => {
      const switched = await tryToSwitch(db, layout, model, names, generation);
      if (switched) await layout.fresh(db);
      return switched;
    },
    /** Removes what served before the switch. Others may read from it for a moment. */
    forget: async (db: Database): Promise<void> => {
      await sleep(servedKeptMs);
      await sweep(db, layout, model, names);
    },
    abandon: async (db: Database): Promise<void> => {
      await ledgerIn(db).updateOne({ _id: ledgerId, [fieldOfCopy(model)]: generation }, { $unset: { [fieldOfCopy(model)]: true, [fieldOfModel(copyOf(model, generation))]: true } });
      await sweep(db, layout, model, names);
    },
  };
};
