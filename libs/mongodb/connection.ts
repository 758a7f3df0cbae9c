import { type Collection, type Db, MongoClient, MongoServerSelectionError } from 'mongodb';
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
/** The driver can wait for ever where a connection was closed while it wrote into it. */
const longestWorkMs = 60_000;
/** Longer than the driver looks for a server, unless the address says otherwise. */
const longestLookMs = 10_000;

class NoAnswer extends Error {}

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
  let client = clientOf(address, setting);
  let database = client.db(address.database);
  const underWay = new Map<Promise<unknown>, (error: Error) => void>();
  let trouble: string | null = `MongoDB at ${address.hosts} has not answered yet. Look at ${setting} if this stays.`;
  let preparing: Promise<void> | undefined;
  let isClosed = false;
  let next: NodeJS.Timeout | undefined;

  const connectAndPrepare = async (mine: MongoClient, db: Database): Promise<void> => {
    try {
      await mine.connect();
      await prepare(db);
    } catch (error) {
      if (client === mine) preparing = undefined;
      throw error;
    }
  };

  const use = async <T>(work: (db: Database) => Promise<T>, withinMs = longestWorkMs): Promise<T> => {
    const [mine, db] = [client, database];
    const hurry = Promise.withResolvers<never>();
    const timer = setTimeout(() => hurry.reject(new NoAnswer(`MongoDB at ${address.hosts} did not answer in ${withinMs / 1000} s`)), withinMs);
    const working = Promise.race([(preparing ??= connectAndPrepare(mine, db)).then(() => work(db)), hurry.promise]);
    underWay.set(working, hurry.reject);
    try {
      return await working;
    } finally {
      clearTimeout(timer);
      underWay.delete(working);
    }
  };

  /** A client that finds no server may never find one again: what watches the server for it can wait for ever, too. */
  const renew = (): void => {
    const old = client;
    client = clientOf(address, setting);
    database = client.db(address.database);
    preparing = undefined;
    for (const giveUp of underWay.values()) giveUp(new NoAnswer(`MongoDB at ${address.hosts} cannot be reached`));
    old.close().catch(() => undefined);
  };

  const look = async (): Promise<void> => {
    const silence = setTimeout(() => (trouble = `MongoDB at ${address.hosts} does not answer. Look at ${setting}, and at the server.`), longestSilenceMs);
    try {
      await use((db) => db.command({ ping: 1 }), longestLookMs);
      trouble = null;
    } catch (error) {
      trouble = troubleOf(error, { hosts: address.hosts, setting });
      if ((error instanceof NoAnswer || error instanceof MongoServerSelectionError) && !isClosed) renew();
    } finally {
      clearTimeout(silence);
    }
    if (!isClosed) next = setTimeout(() => void look(), lookEveryMs).unref();
  };
  void look();

  return {
    use: async (work) => {
      if (isClosed) throw new Error('the connection to MongoDB is closed');
      return use(work);
    },
    missing: () => trouble,
    closed: () => isClosed,
    close: async () => {
      isClosed = true;
      clearTimeout(next);
      await Promise.allSettled(underWay.keys());
      await client.close();
    },
  };
};
