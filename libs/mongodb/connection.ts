import { setTimeout as sleep } from 'node:timers/promises';
import { type Collection, type Db, MongoClient, MongoServerSelectionError } from 'mongodb';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { AddressError } from '#libs/engines/remote.ts';
import { type MongoAddress, parseMongoAddress } from './address.ts';
import { describeMongoError, withoutPasswords } from './errors.ts';

export type MongoDatabase = Db;
export type MongoCollection<D extends { _id: string }> = Collection<D>;

const collectionCache = new WeakMap<MongoDatabase, Map<string, MongoCollection<{ _id: string }>>>();

/** A collection of the database, put together once: the driver takes its time for it. */
export const mongoCollectionIn = <D extends { _id: string }>(
  database: MongoDatabase,
  name: string,
): MongoCollection<D> => {
  const known = collectionCache.get(database) ?? new Map<string, MongoCollection<{ _id: string }>>();
  collectionCache.set(database, known);
  const documents = known.get(name) ?? database.collection<{ _id: string }>(name);
  known.set(name, documents);
  return documents as unknown as MongoCollection<D>;
};

/** A server that may be away now and back later. */
export type MongoConnection = {
  /** Runs work on the database once that is prepared. Rejects where the server is away, and after close. */
  use<T>(this: void, work: (db: MongoDatabase) => Promise<T>): Promise<T>;
  /** Null when the server can serve, else a sentence on what is wrong. */
  missing(): string | null;
  isClosed(): boolean;
  /** Waits for the work under way. */
  close(): Promise<void>;
};

/** What is acknowledged has to survive the end of a machine; what is read has to be the latest. */
const clientOptions = {
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
  promoteBuffers: true,
  ignoreUndefined: true,
} as const;

/** In milliseconds: how often is looked whether the server serves, how long it may be silent until that is told, how long until the client is given up, and how long work may take. */
export type ConnectionTimeouts = {
  checkIntervalMs: number;
  silenceTimeoutMs: number;
  checkTimeoutMs: number;
  operationTimeoutMs: number;
};
/**
 * The driver can wait for ever where a connection was closed while it wrote into it. It looks for a server less long than it is looked whether there is one, unless
 * the address says otherwise.
 */
const defaultTimeouts: ConnectionTimeouts = {
  checkIntervalMs: 1_000,
  silenceTimeoutMs: 2_000,
  checkTimeoutMs: 10_000,
  operationTimeoutMs: 60_000,
};

class NoResponseError extends Error {}

const createMongoClient = ({ uri, database }: MongoAddress, setting: string): MongoClient => {
  try {
    const client = new MongoClient(uri, clientOptions);
    client.db(database);
    return client;
  } catch (error) {
    throw new AddressError(
      `${setting} has a host, a database or an option that the driver of MongoDB does not take: ${withoutPasswords((error as Error).message)}.`,
      { cause: error },
    );
  }
};

/**
 * Connects to the address that stands in `setting`, and keeps trying. `prepare` makes what the work needs (indexes, first documents): it runs until it has
 * succeeded once, and may be repeated.
 * @throws AddressError where the address is wrong, which no waiting mends
 */
export const openMongoConnection = (
  url: string,
  setting: string,
  prepare: (db: MongoDatabase) => Promise<void>,
  { checkIntervalMs, silenceTimeoutMs, checkTimeoutMs, operationTimeoutMs } = defaultTimeouts,
): MongoConnection => {
  const address = parseMongoAddress(url, setting);
  let client = createMongoClient(address, setting);
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
  const connectAndPrepare = async (mine: MongoClient, db: MongoDatabase): Promise<void> => {
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

  const noAnswer = (ms: number) => (): Error =>
    new NoResponseError(`MongoDB at ${address.hosts} did not answer in ${ms / 1000} s`);

  /** Work that takes longer is given up, and so is work on a client that is replaced; what it has begun goes on by itself. */
  const use = async <T>(work: (db: MongoDatabase) => Promise<T>): Promise<T> => {
    const db = database;
    const working = runWithTimeout(operationTimeoutMs, () => prepared().then(() => work(db)), {
      signal: replaced.signal,
      createError: noAnswer(operationTimeoutMs),
    });
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
    client = createMongoClient(address, setting);
    database = client.db(address.database);
    preparing = undefined;
    replaced.abort(new NoResponseError(`MongoDB at ${address.hosts} cannot be reached`));
    replaced = new AbortController();
    old.close().catch(() => undefined);
  };

  const look = async (): Promise<void> => {
    // A reason that was found says more, and holds until a look has another.
    const fallSilent = (): void =>
      void (trouble =
        trouble === null || trouble === unheard
          ? `MongoDB at ${address.hosts} does not answer. Look at ${setting}, and at the server.`
          : trouble);
    const silence = setTimeout(fallSilent, silenceTimeoutMs);
    try {
      await runWithTimeout(checkTimeoutMs, () => connected(client).then(() => database.command({ ping: 1 })), {
        createError: noAnswer(checkTimeoutMs),
      });
      clearTimeout(silence);
      // Indexes of much take their time, which is no silence.
      trouble = await Promise.race([
        prepared().then(() => null),
        sleep(silenceTimeoutMs, beingPrepared, { ref: false }),
      ]);
    } catch (error) {
      trouble = describeMongoError(error, { hosts: address.hosts, setting });
      if ((error instanceof NoResponseError || error instanceof MongoServerSelectionError) && !isClosed) renew();
    } finally {
      clearTimeout(silence);
    }
    if (!isClosed) next = setTimeout(() => void look(), checkIntervalMs).unref();
  };
  void look();

  return {
    use: async (work) => {
      if (isClosed) throw new Error('the connection to MongoDB is closed');
      return use(work);
    },
    missing: () => trouble,
    isClosed: () => isClosed,
    close: async () => {
      isClosed = true;
      clearTimeout(next);
      await Promise.allSettled(underWay);
      isEnded = true;
      await client.close();
    },
  };
};
