import { type Collection, type Db, MongoClient } from 'mongodb';
import { type Address, addressOf } from './address.ts';
import { troubleOf } from './trouble.ts';

export type Database = Db;
export type Documents<D extends { _id: string }> = Collection<D>;

/** A server that may be away now and back later. */
export type Connection = {
  /** Runs work on the database once that is prepared. Rejects where the server is away, and after close. */
  use<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** Null when the server can serve, else a sentence on what is wrong. */
  missing(): string | null;
  closed(): boolean;
  /** Waits for the work under way. */
  close(): Promise<void>;
};

/** What is acknowledged has to survive the end of a machine; what is read has to be the latest. */
const firm = { writeConcern: { w: 'majority', journal: true }, readPreference: 'primary', promoteBuffers: true, ignoreUndefined: true } as const;

const lookEveryMs = 1_000;
const longestSilenceMs = 2_000;

const clientOf = ({ uri }: Address, setting: string): MongoClient => {
  try {
    return new MongoClient(uri, firm);
  } catch (error) {
    throw new Error(`${setting} has an option that the driver of MongoDB does not take: ${(error as Error).message.replace(/\/\/[^/@\s]*@/g, '//***@')}`, { cause: error });
  }
};

/**
 * Connects to the address that stands in `setting`, and keeps trying. `prepare` makes what the work needs (indexes, first documents): it runs until it has
 * succeeded once, and may be repeated.
 * @throws Error where the address is wrong, which no waiting mends
 */
export const openConnection = (url: string, setting: string, prepare: (db: Database) => Promise<void>): Connection => {
  const address = addressOf(url, setting);
  const client = clientOf(address, setting);
  const db = client.db(address.database);
  const underWay = new Set<Promise<unknown>>();
  let trouble: string | null = `MongoDB at ${address.hosts} has not answered yet. Look at ${setting} if this stays.`;
  let preparing: Promise<void> | undefined;
  let isClosed = false;
  let next: NodeJS.Timeout | undefined;

  // A client that could not connect the first time never does by itself; once it has, it finds the way back alone.
  const connectAndPrepare = async (): Promise<void> => {
    await client.connect();
    await prepare(db);
  };
  const prepared = (): Promise<void> =>
    (preparing ??= connectAndPrepare().catch((error: unknown) => {
      preparing = undefined;
      throw error;
    }));

  const look = async (): Promise<void> => {
    const silence = setTimeout(() => (trouble = `MongoDB at ${address.hosts} does not answer. Look at ${setting}, and at the server.`), longestSilenceMs);
    try {
      await prepared();
      await db.command({ ping: 1 });
      trouble = null;
    } catch (error) {
      trouble = troubleOf(error, { hosts: address.hosts, setting });
    } finally {
      clearTimeout(silence);
    }
    if (!isClosed) next = setTimeout(() => void look(), lookEveryMs).unref();
  };
  void look();

  return {
    use: async (work) => {
      if (isClosed) throw new Error('the connection to MongoDB is closed');
      const working = prepared().then(() => work(db));
      underWay.add(working);
      try {
        return await working;
      } finally {
        underWay.delete(working);
      }
    },
    missing: () => trouble,
    closed: () => isClosed,
    close: async () => {
      isClosed = true;
      clearTimeout(next);
      await Promise.allSettled(underWay);
      await client.close();
    },
  };
};
