import { type Database, type Documents, documentsIn } from '#libs/mongodb/connection.ts';
import { isDuplicate } from '#libs/mongodb/trouble.ts';
import { type Entry, sharedCollection, type Stored, writeOf } from './mongodb-documents.ts';
import { atRest, claimIn, fieldOfModel, type Ledger, lastStepIn, ledgerId, ledgerIn, positionIn, readLedger } from './mongodb-ledger.ts';

/** A step as it is noted before any of it is written: in the ledger itself where it is small, as JSON, else in `parts` documents beside it. */
type Journal = { to: number; models: string[]; entries: Entry[]; parts: number };

/** A step of one model or several; `models` as the ledger calls them, `when` is what else of the ledger it depends on. */
export type Step = { id: string; models: readonly string[]; from: number; to: number; entries: readonly Entry[]; when: Record<string, unknown> };

/** The server takes documents of 16 MiB; the ledger is read often and stays far below. Counted in UTF-16 units, each at most 3 bytes. */
const largestInLedger = 512 * 1024;
const largestPart = 4 * 1024 * 1024;

type Part = { _id: string; entries: Entry[] };
const partsIn = (db: Database) => documentsIn<Part>(db, 'journal');
const idsOfParts = (step: string, parts: number): string[] => Array.from({ length: parts }, (_, number) => `${step}/${number}`);

const dropParts = async (db: Database, step: string, parts: number): Promise<void> => {
  for (const id of idsOfParts(step, parts)) await partsIn(db).deleteOne({ _id: id });
};

const sizeOf = ({ id, json }: Entry): number => id.length + (json?.length ?? 0) + 64;

const inParts = (entries: readonly Entry[]): Entry[][] => {
  const parts: Entry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const size = sizeOf(entry);
    if (size > room || parts.length === 0) {
      parts.push([]);
      room = largestPart;
    }
    parts.at(-1)!.push(entry);
    room -= size;
  }
  return parts;
};

const journalOf = async (db: Database, { id, models, to, entries }: Step): Promise<Journal> => {
  if (entries.reduce((sum, entry) => sum + sizeOf(entry), 0) <= largestInLedger) return { to, models: [...models], entries: [...entries], parts: 0 };
  const parts = inParts(entries);
  const ids = idsOfParts(id, parts.length);
  for (const [number, part] of parts.entries()) await partsIn(db).updateOne({ _id: ids[number]! }, { $set: { entries: part } }, { upsert: true });
  return { to, models: [...models], entries: [], parts: parts.length };
};

const replace = (documents: Documents<Stored>, entry: Entry, to: number): Promise<unknown> => {
  const { filter, replacement } = writeOf(entry, to).replaceOne;
  return documents.replaceOne(filter, replacement, { upsert: true });
};

/** Writes entries as one. False where a document is there and as far already: such ones stay as they are, and a server may have left out others then. */
const writeAtOnce = async (documents: Documents<Stored>, entries: readonly Entry[], to: number): Promise<boolean> => {
  try {
    // The driver does much more for several than for one.
    await (entries.length === 1 ? replace(documents, entries[0]!, to) : documents.bulkWrite(entries.map((entry) => writeOf(entry, to)), { ordered: false }));
    return true;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return false;
  }
};

/** Writes entries where they are not as far. Where some are, somebody else was here: if the step is no longer wanted then, the rest is left, and it answers false. */
const writeEntries = async (db: Database, entries: readonly Entry[], to: number, isWanted = async (): Promise<boolean> => true): Promise<boolean> => {
  const byCollection = [...Map.groupBy(entries, ({ collection }) => collection)];
  const whole = await Promise.all(byCollection.map(([collection, all]) => writeAtOnce(documentsIn<Stored>(db, collection), all, to)));
  const torn = byCollection.filter((_, index) => !whole[index]).flatMap(([, all]) => all);
  if (torn.length > 0 && !(await isWanted())) return false;
  for (const entry of torn) {
    await replace(documentsIn<Stored>(db, entry.collection), entry, to).catch((refusal: unknown) => {
      if (!isDuplicate(refusal)) throw refusal;
    });
  }
  return true;
};

const movedTo = (models: readonly string[], to: number, step: string): Record<string, unknown> => Object.fromEntries(models.map((model) => [fieldOfModel(model), { position: to, by: step }]));

/** Writes the documents of a step that is noted in the ledger, and moves its models on. Whoever comes by may do it, several at once too. */
const finish = async (db: Database, step: string, { to, models, entries, parts }: Journal): Promise<void> => {
  const ids = idsOfParts(step, parts);
  if (parts === 0) await writeEntries(db, entries, to);
  for (const id of ids) await writeEntries(db, (await partsIn(db).findOne({ _id: id }))?.entries ?? [], to);
  await ledgerIn(db).updateOne({ _id: ledgerId, [`journals.${step}`]: { $exists: true } }, { $set: movedTo(models, to, step), $unset: { [`journals.${step}`]: true } });
  await dropParts(db, step, parts);
};

/** Finishes what somebody else has begun and perhaps not lived to finish. */
export const finishOthers = async (db: Database, ledger: Ledger, models: readonly string[]): Promise<void> => {
  const steps = new Set(models.flatMap((model) => claimIn(ledger, model) ?? []));
  for (const step of steps) {
    const full = await ledgerIn(db).findOne({ _id: ledgerId });
    const noted = full?.journals?.[step];
    if (noted !== undefined) await finish(db, step, JSON.parse(noted) as Journal);
  }
};

/**
 * Takes a step: notes it in the ledger with one conditional write, which decides, then writes the documents, then moves the models on. A step without documents is that one write.
 * A process that ends in between leaves a step that the next one finishes, since no other step of the model can begin before.
 * `elsewhere` when the models are not where they should be; `changed` when only what the step depends on beside them is not as it should be.
 */
export const take = async (db: Database, step: Step): Promise<'taken' | 'elsewhere' | 'changed'> => {
  const { id, models, from, to, when } = step;
  const journal = await journalOf(db, step);
  const isOnlyMove = step.entries.length === 0;
  const condition = Object.assign({ _id: ledgerId, ...when }, ...models.map((model) => atRest(model, from))) as { _id: string };
  const claims = Object.fromEntries(models.map((model) => [`${fieldOfModel(model)}.claim`, id]));
  const change = isOnlyMove ? movedTo(models, to, id) : { ...claims, [`journals.${id}`]: JSON.stringify(journal) };
  for (;;) {
    const { matchedCount } = await ledgerIn(db).updateOne(condition, { $set: change });
    if (matchedCount === 1) {
      if (!isOnlyMove) await finish(db, id, journal);
      return 'taken';
    }
    const ledger = await readLedger(db);
    const isAtRest = models.every((model) => claimIn(ledger, model) === undefined);
    if (isAtRest && models.length > 0 && models.every((model) => lastStepIn(ledger, model) === id)) return 'taken';
    if (isAtRest) {
      await dropParts(db, id, journal.parts);
      return models.every((model) => positionIn(ledger, model) === from) ? 'changed' : 'elsewhere';
    }
    await finishOthers(db, ledger, models);
  }
};

/** What moves the ledger, where it is as the step wants it. */
type Move = { filter: { _id: string }; update: { $set: Record<string, unknown> } };

const moveAlone = async (db: Database, { filter, update }: Move): Promise<'moved' | 'stayed'> => ((await ledgerIn(db).updateOne(filter, update)).matchedCount === 1 ? 'moved' : 'stayed');

/**
 * Writes entries that lie beside the ledger and then moves it, in one operation: the server makes one write after the other, and none after one that is refused. `torn` where a document is
 * there and as far already, so that the ledger was not come to.
 */
const writeAndMove = async (db: Database, entries: readonly Entry[], to: number, move: Move): Promise<'moved' | 'stayed' | 'torn'> => {
  if (entries.length === 0) return moveAlone(db, move);
  const writes = entries.map((entry) => writeOf(entry, to));
  try {
    // Of the entries each is either found or new.
    const { matchedCount, upsertedCount } = await documentsIn<Stored>(db, sharedCollection).bulkWrite([...writes, { updateOne: move }], { ordered: true });
    return matchedCount + upsertedCount > writes.length ? 'moved' : 'stayed';
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return 'torn';
  }
};

/**
 * Takes a step whose documents are right whether or not it is taken, since each is the fold of the log up to `to`: writes those that are not as far, then moves the models on by one conditional
 * write, which decides. A process that ends in between leaves documents ahead of their models, and nothing to finish.
 */
export const advance = async (db: Database, { models, from, to, entries, when }: Omit<Step, 'id'>): Promise<boolean> => {
  const isWanted = async (): Promise<boolean> => {
    const ledger = await readLedger(db);
    return models.every((model) => positionIn(ledger, model) === from);
  };
  const filter = Object.assign({ _id: ledgerId, ...when }, ...models.map((model) => atRest(model, from))) as Move['filter'];
  const move: Move = { filter, update: { $set: Object.fromEntries(models.map((model) => [`${fieldOfModel(model)}.position`, to])) } };
  const { beside = [], elsewhere = [] } = Object.groupBy(entries, ({ collection }) => (collection === sharedCollection ? 'beside' : 'elsewhere'));
  if (!(await writeEntries(db, elsewhere, to, isWanted))) return false;
  let outcome = await writeAndMove(db, beside, to, move);
  if (outcome === 'torn') {
    if (!(await writeEntries(db, beside, to, isWanted))) return false;
    outcome = await moveAlone(db, move);
  }
  if (outcome === 'stayed') await finishOthers(db, await readLedger(db), models);
  return outcome === 'moved';
};
