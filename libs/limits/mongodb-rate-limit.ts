import {
  type MongoConnection,
  type MongoDatabase,
  type MongoCollection,
  mongoCollectionIn,
} from '#libs/mongodb/connection.ts';
import { nullIfDuplicate } from '#libs/mongodb/errors.ts';
import type { LimitStatus } from './port.ts';
import { limitStatus } from './windows.ts';

/** The requests of an account in the minute that ends at `endsAt`, in milliseconds. */
type RateLimitCounter = { _id: string; endsAt: number; used: number };

export const rateLimitCountersIn = (db: MongoDatabase): MongoCollection<RateLimitCounter> =>
  mongoCollectionIn(db, 'rate_limit_counters');

const idOf = (accountId: string, endsAt: Date): string => `${accountId}/${endsAt.getTime()}`;

/** The requests of an account that are counted in the minute that ends at `endsAt`. */
export const requestCountOf = async (db: MongoDatabase, accountId: string, endsAt: Date): Promise<number> =>
  (await rateLimitCountersIn(db).findOne({ _id: idOf(accountId, endsAt) }))?.used ?? 0;

/** Counts a request in the minute that ends at `endsAt`, unless the limit is reached. */
export const countRequestBelow = async (
  db: MongoDatabase,
  accountId: string,
  limit: number,
  endsAt: Date,
): Promise<LimitStatus> => {
  const below = { _id: idOf(accountId, endsAt), used: { $lt: limit } };
  const change = { $inc: { used: 1 }, $setOnInsert: { endsAt: endsAt.getTime() } };
  while (limit > 0) {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const counted = await rateLimitCountersIn(db).findOneAndUpdate(below, change, options).catch(nullIfDuplicate);
    if (counted) return { ...limitStatus(counted.used, limit, endsAt), allowed: true };
    const used = await requestCountOf(db, accountId, endsAt);
    // Otherwise another process inserted the document at the same moment: try again.
    if (used >= limit) return limitStatus(used, limit, endsAt);
  }
  return limitStatus(await requestCountOf(db, accountId, endsAt), limit, endsAt);
};

/** Counts requests without a limit. */
const countRequests = async (db: MongoDatabase, accountId: string, endsAt: Date, requests: number): Promise<void> => {
  const change = { $inc: { used: requests }, $setOnInsert: { endsAt: endsAt.getTime() } };
  const add = () => rateLimitCountersIn(db).updateOne({ _id: idOf(accountId, endsAt) }, change, { upsert: true });
  // If two processes insert the document at the same moment, one gets a duplicate key error.
  while (!(await add().catch(nullIfDuplicate)));
};

const flushIntervalMs = 250;

/** Counts requests of accounts without a rate limit in batches, because no decision depends on them. */
export const createRequestCountBuffer = (connection: Pick<MongoConnection, 'use'>) => {
  let buffered = new Map<string, { accountId: string; endsAt: Date; requests: number }>();
  let timer: NodeJS.Timeout | undefined;
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const counts = [...buffered.values()];
    buffered = new Map();
    const count = ({ accountId, endsAt, requests }: (typeof counts)[number]) =>
      connection.use((db) => countRequests(db, accountId, endsAt, requests));
    await Promise.allSettled(counts.map(count));
  };
  return {
    add: (accountId: string, endsAt: Date): void => {
      const key = idOf(accountId, endsAt);
      buffered.set(key, { accountId, endsAt, requests: (buffered.get(key)?.requests ?? 0) + 1 });
      timer ??= setTimeout(() => void flush(), flushIntervalMs).unref();
    },
    flush,
  };
};
