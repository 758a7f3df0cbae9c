import { setTimeout as sleep } from 'node:timers/promises';
import { type Collection, type Db, MongoClient, MongoServerSelectionError } from 'mongodb';
import { withTimeout } from '#libs/concurrency/timeout.ts';
import { AddressError } from '#libs/engines/remote.ts';
import { type Address, addressOf } from './address.ts';
import { troubleOf, withoutPasswords } from './trouble.ts';

export type Database = Db;
export type Documents<D extends { _id: string }> = Collection<D>;

const collections = new WeakMap<Database, Map<string, Documents<{ _id: string }>>>();

/** A collection of the database, put together once: the driver takes its time for it. */
export const documentsIn = <D extends { _id: string }>(database: Database, name: string): Documents<D> => {
  const known = collections.get(database) ?? new Map<string, Documents<{ _id: string }>>();
  collections.set(database, known);
  const documents = known.get(name) ?? database.collection<{ _id: string }>(name);
  known.set(name, documents);
  return documents as unknown as Documents<D>;
};

/** A server that may be away now and back later. */
export type Connection = {
  /** Runs work on the database once that is prepared. Rejects where the server is away, and after close. */
  use<T>(this: void, work: (db: Database) => Promise<T>): Promise<T>;
  /** Null when the server can serve, else a sentence on what is wrong. */
  missing(): string | null;
  closed(): boolean;
  /** Waits for the work under way. */
  close(): Promise<void>;
};

/** What is acknowledged has to survive the end of a machine; what is read has to be the latest. */
const firm = { writeConcern: { w: 'majority', journal: true }, readPreference: 'primary', promoteBuffers: true, ignoreUndefined: true } as const;

/** In milliseconds: how often is looked whether the server serves, how long it may be silent until that is told, how long until the client is given up, and how long work may take. */
export type ConnectionTimes = { lookEveryMs: number; longestSilenceMs: number; longestLookMs: number; longestWorkMs: number };
/**
 * The driver can wait for ever where a connection was closed while it wrote into it. It looks for a server less long than it is looked whether there is one, unless
 * the address says otherwise.
 */
const usualTimes: ConnectionTimes = { lookEveryMs: 1_000, longestSilenceMs: 2_000, longestLookMs: 10_000, longestWorkMs: 60_000 };

class NoAnswer extends Error {}

const clientOf = ({ uri, database }: Address, setting: string): MongoClient => {
  try {
    const client = new MongoClient(uri, firm);
    client.db(database);
    return client;
  } catch (error) {
    throw new AddressError(`${setting} has a host, a database or an option that the driver of MongoDB does not take: ${withoutPasswords((error as Error).message)}.`, { cause: error });
  }
};

/**
 * Connects to the address that stands in `setting`, and keeps trying. `prepare` makes what the work needs (indexes, first documents): it runs until it has
 * succeeded once, and may be repeated.
 * @throws AddressError where the address is wrong, which no waiting mends
 */
export const openConnection = (url: string, setting: string, prepare: (db: Database) => Promise<void>, { lookEveryMs, longestSilenceMs, longestLookMs, longestWorkMs } = usualTimes): Connection => {
  const address = addressOf(url, setting);
  let client = clientOf(address, setting);
  let database = client.db(address.database);
  const underWay = new Set<Promise<unknown>>();
  /** Aborts when the client is replaced. */
  let replaced = new AbortController();
  const beingPrepared = `MongoDB at ${address.hosts} is being prepared: indexes are made, which takes long where there is much.`;
  const unheard = `MongoDB at ${address.hosts} has not answered yet. Look at ${setting} if this stays.`;
  let trouble: string | null = unheard;
  let preparing: Promise<void> | undefined;
  let isClosed = false;
  let isEnded = false;
  let next: NodeJS.Timeout | undefined;

  /** A client that was given up while it connected would stay connected for ever. */
  const connected = async (mine: MongoClient): Promise<void> => {
    await mine.connect();
    if (client === mine && !isEnded) return;
    await mine.close();
    throw new Error('the client of MongoDB was given up');
  };
  const connectAndPrepare = async (mine: MongoClient, db: Database): Promise<void> => {
    try {
      await connected(mine);
      await prepare(db);
      if (client === mine) trouble = null;
    } catch (error) {
      if (client === mine) preparing = undefined;
      throw error;
    }
  };
  const prepared = (): Promise<void> => (preparing ??= connectAndPrepare(client, database));

  const noAnswer = (ms: number) => (): Error => new NoAnswer(`MongoDB at ${address.hosts} did not answer in ${ms / 1000} s`);

  /** Work that takes longer is given up, and so is work on a client that is replaced; what it has begun goes on by itself. */
  const use = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
    const db = database;
    const working = withTimeout(longestWorkMs, () => prepared().then(() => work(db)), { signal: replaced.signal, error: noAnswer(longestWorkMs) });
    underWay.add(working);
    try {
      return await working;
    } finally {
      underWay.delete(working);
    }
  };

  /** A client that finds no server may never find one again: what watches the server for it can wait for ever, too. */
  const renew = (): void => {
    const old = client;
    client = clientOf(address, setting);
    database = client.db(address.database);
    preparing = undefined;
    replaced.abort(new NoAnswer(`MongoDB at ${address.hosts} cannot be reached`));
    replaced = new AbortController();
    old.close().catch(() => undefined);
  };

  const look = async (): Promise<void> => {
    // A reason that was found says more, and holds until a look has another.
    const fallSilent = (): void => void (trouble = trouble === null || trouble === unheard ? `MongoDB at ${address.hosts} does not answer. Look at ${setting}, and at the server.` : trouble);
    const silence = setTimeout(fallSilent, longestSilenceMs);
    try {
      await withTimeout(longestLookMs, () => connected(client).then(() => database.command({ ping: 1 })), { error: noAnswer(longestLookMs) });
      clearTimeout(silence);
      // Indexes of much take their time, which is no silence.
      trouble = await Promise.race([prepared().then(() => null), sleep(longestSilenceMs, beingPrepared, { ref: false })]);
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
      await Promise.allSettled(underWay);
      isEnded = true;
      await client.close();
    },
  };
};
