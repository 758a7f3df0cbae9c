import { type Database, documentsIn } from '#libs/mongodb/connection.ts';
import { type Stored, indexOf } from './mongodb-documents.ts';
import { copyIn, type Ledger, readLedger, servingPlace } from './mongodb-ledger.ts';
import { fieldsDeclared } from './declared.ts';
import type { Collection } from './port.ts';

/** So long a process may read from collections that have just ceased to serve. They hold what was true a moment ago. */
export const layoutKnownForMs = 200;
/** They are kept for so long: what was asked of them may wait. */
export const servedKeptMs = 1_000;

/** Which collections serve, as this process knows it. */
export const openLayout = (collections: readonly Collection[]) => {
  let last: { ledger: Ledger; at: number } | undefined;

  const read = async (db: Database): Promise<Ledger> => {
    const at = performance.now();
    const ledger = await readLedger(db);
    last = { ledger, at };
    return ledger;
  };
  type Readings = { running?: Promise<unknown> | undefined; following?: Promise<Ledger> | undefined };
  /** By client: what was asked of one that was given up may never be answered. */
  const readings = new WeakMap<object, Readings>();
  /** The ledger as it is, or is later. All who ask while it is being read share the reading that follows. */
  const fresh = (db: Database): Promise<Ledger> => {
    const now = readings.get(db.client) ?? {};
    readings.set(db.client, now);
    if (now.running) return (now.following ??= now.running.then(() => ((now.following = undefined), fresh(db))));
    const reading = read(db);
    now.running = reading.then(() => (now.running = undefined), () => (now.running = undefined));
    return reading;
  };
  const known = async (db: Database): Promise<Ledger> => (last && performance.now() - last.at < layoutKnownForMs ? last.ledger : fresh(db));

  /** Makes the indexes of a collection, under the name that it has on the server. */
  const index = async (db: Database, collection: string, name: string): Promise<void> => {
    const { indexes = [] } = collections.find((one) => one.name === collection) ?? {};
    for (const paths of indexes) await documentsIn<Stored>(db, name).createIndex(indexOf(paths));
  };

  const fields = new Map(collections.map((one) => [one.name, fieldsDeclared(one)]));

  return {
    /** What documents of a collection are found by. */
    fieldsOf: (collection: string): readonly string[] => fields.get(collection) ?? [],
    fresh,
    known,
    index,
    isCopy: (ledger: Ledger, model: string, generation: string): boolean => copyIn(ledger, model) === generation,
    prepare: async (db: Database): Promise<void> => {
      const ledger = await fresh(db);
      for (const { name } of collections) await index(db, name, servingPlace(ledger, name).name);
    },
  };
};

export type Layout = ReturnType<typeof openLayout>;
