import { setTimeout as sleep } from 'node:timers/promises';
import { type Collection, type Db, MongoClient, MongoServerSelectionError } from 'mongodb';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { AddressError } from '#libs/engines/remote.ts';
import { type MongoAddress, parseMongoAddress } from './address.ts';
import { describeMongoError, withoutPasswords } from './errors.ts';

export type MongoDatabase = Db;
export type MongoCollection<D extends { _id: string }> = Collection<D>;

const collectionCache = new WeakMap<MongoDatabase, Map<string, MongoCollection<{ _id: string }>>>();

/** A collection of the database. The objects are kept, because the driver takes long to create one. */
export const mongoCollectionIn = <D extends { _id: string }>(
  database: MongoDatabase,
  name: string,
): MongoCollection<D> => {
  const collections = collectionCache.get(database) ?? new Map<string, MongoCollection<{ _id: string }>>();
  collectionCache.set(database, collections);
  const collection = collections.get(name) ?? database.collection<{ _id: string }>(name);
  collections.set(name, collection);
  return collection as unknown as MongoCollection<D>;
};

/** A connection that reconnects to a server that was unavailable. */
export type MongoConnection = {
  /** Runs work on the database once the preparation is done. Rejects while the server is unavailable, and after close. */
  use<T>(this: void, work: (db: MongoDatabase) => Promise<T>): Promise<T>;
  /** Null when the server is available, otherwise a sentence that describes the problem. */
  missing(): string | null;
  /** Waits for work that has begun, and at most half a second for work that waits for a connection. */
  close(): Promise<void>;
};

/** Acknowledged writes must survive the loss of a machine; reads must return the latest data. */
const clientOptions = {
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
  promoteBuffers: true,
  ignoreUndefined: true,
} as const;

/**
 * In milliseconds: the interval of checks, the silence after which `missing` reports a problem, the time after which a
 * check fails and the client is replaced, and the limit of an operation.
 */
type ConnectionTimeouts = {
  checkIntervalMs: number;
  silenceTimeoutMs: number;
  checkTimeoutMs: number;
  operationTimeoutMs: number;
};
/**
 * The driver can wait for ever if a connection is closed during a write. The driver's own server selection timeout is
 * shorter than `checkTimeoutMs`, unless the address sets it.
 */
const defaultTimeouts: ConnectionTimeouts = {
  checkIntervalMs: 1_000,
  silenceTimeoutMs: 2_000,
  checkTimeoutMs: 10_000,
  operationTimeoutMs: 60_000,
};

/** How long the close waits for work that still waits for a server, in milliseconds. */
const connectAtCloseMs = 500;

class NoResponseError extends Error {}

const closedError = (): Error => new Error('the connection to MongoDB is closed');

const createMongoClient = ({ uri, database }: MongoAddress, setting: string): MongoClient => {
  try {
    const client = new MongoClient(uri, clientOptions);
    client.db(database);
    return client;
  } catch (error) {
    throw new AddressError(
      `${setting} has a host, database or option that the MongoDB driver rejects: ` +
        `${withoutPasswords((error as Error).message)}.`,
      { cause: error },
    );
  }
};

/**
 * Connects to `url`, which comes from `setting`, and retries until it succeeds. `prepare` creates what the work needs
 * (indexes, first documents). It runs until it has succeeded once per client, so it must be repeatable.
 * @throws AddressError for an invalid address, which a retry cannot fix
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
  const running = new Set<Promise<unknown>>();
  /** Aborts when the client is replaced. */
  let replaced = new AbortController();
  const preparingMessage =
    `MongoDB at ${address.hosts} is being prepared: indexes are being created, ` +
    'which takes long for large collections.';
  const noResponseYet = `MongoDB at ${address.hosts} has not responded yet. Check ${setting} if this continues.`;
  let problem: string | null = noResponseYet;
  let preparing: Promise<void> | undefined;
  /** False until the client is connected and prepared: no work has begun on it. */
  let isPrepared = false;
  let isClosed = false;
  let isEnded = false;
  let nextCheck: NodeJS.Timeout | undefined;

  /** A client that is replaced while it connects would otherwise stay connected for ever. */
  const connect = async (attempted: MongoClient): Promise<void> => {
    await attempted.connect();
    if (client === attempted && !isEnded) return;
    await attempted.close();
    throw new Error('the MongoDB client was replaced');
  };
  const connectAndPrepare = async (attempted: MongoClient, db: MongoDatabase): Promise<void> => {
    try {
      await connect(attempted);
      await prepare(db);
      if (client === attempted) [problem, isPrepared] = [null, true];
    } catch (error) {
      if (client === attempted) preparing = undefined;
      throw error;
    }
  };
  const prepared = (): Promise<void> => (preparing ??= connectAndPrepare(client, database));

  const createTimeoutError = (ms: number) => (): Error =>
    new NoResponseError(`MongoDB at ${address.hosts} did not respond within ${ms / 1000} s`);

  /** Rejects work that takes too long, and work on a client that is replaced. What the work has started continues. */
  const use = async <T>(work: (db: MongoDatabase) => Promise<T>): Promise<T> => {
    const db = database;
    const result = runWithTimeout(operationTimeoutMs, () => prepared().then(() => work(db)), {
      signal: replaced.signal,
      createError: createTimeoutError(operationTimeoutMs),
    });
    running.add(result);
    try {
      return await result;
    } finally {
      running.delete(result);
    }
  };

  /** A client that finds no server may never find one again, because its monitoring can hang, too. */
  const replaceClient = (): void => {
    const old = client;
    client = createMongoClient(address, setting);
    database = client.db(address.database);
    preparing = undefined;
    isPrepared = false;
    replaced.abort(new NoResponseError(`MongoDB at ${address.hosts} cannot be reached`));
    replaced = new AbortController();
    old.close().catch(() => undefined);
  };

  const check = async (): Promise<void> => {
    // A more specific problem stays until a check finds another.
    const reportSilence = (): void =>
      void (problem =
        problem === null || problem === noResponseYet
          ? `MongoDB at ${address.hosts} does not respond. Check ${setting} and the server.`
          : problem);
    const silence = setTimeout(reportSilence, silenceTimeoutMs);
    try {
      await runWithTimeout(checkTimeoutMs, () => connect(client).then(() => database.command({ ping: 1 })), {
        createError: createTimeoutError(checkTimeoutMs),
      });
      clearTimeout(silence);
      // Creating large indexes takes long; that is not silence.
      problem = await Promise.race([
        prepared().then(() => null),
        sleep(silenceTimeoutMs, preparingMessage, { ref: false }),
      ]);
    } catch (error) {
      problem = describeMongoError(error, { hosts: address.hosts, setting });
      if ((error instanceof NoResponseError || error instanceof MongoServerSelectionError) && !isClosed)
        replaceClient();
    } finally {
      clearTimeout(silence);
    }
    if (!isClosed) nextCheck = setTimeout(() => void check(), checkIntervalMs).unref();
  };
  void check();

  return {
    use: async (work) => {
      if (isClosed) throw closedError();
      return use(work);
    },
    missing: () => problem,
    close: async () => {
      isClosed = true;
      clearTimeout(nextCheck);
      // Half a second is enough to connect to an available server. Without one, the waiting work would delay the close for seconds.
      const settled = Promise.allSettled(running);
      await Promise.race([settled, sleep(connectAtCloseMs, undefined, { ref: false })]);
      if (!isPrepared) replaced.abort(closedError());
      await settled;
      isEnded = true;
      await client.close();
    },
  };
};
