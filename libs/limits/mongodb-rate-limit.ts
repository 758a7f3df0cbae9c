import {
  type MongoConnection,
  type MongoDatabase,
  type MongoCollection,
  mongoCollectionIn,
} from '#libs/mongodb/connection.ts';
import { nullIfDuplicate } from '#libs/mongodb/errors.ts';
import type { LimitStatus } from './port.ts';
import { limitStatus } from './windows.ts';

/** The requests of an account in the minute that ends at `ends`, in milliseconds. */
type RateLimitCounter = { _id: string; endsAt: number; used: number };

export const rateLimitCountersIn = (db: MongoDatabase): MongoCollection<RateLimitCounter> =>
  mongoCollectionIn(db, 'rate_limit_counters');

const idOf = (accountId: string, ends: Date): string => `${accountId}/${ends.getTime()}`;

export const requestCountOf = async (db: MongoDatabase, accountId: string, ends: Date): Promise<number> =>
  (await rateLimitCountersIn(db).findOne({ _id: idOf(accountId, ends) }))?.used ?? 0;

/** Counts a request in the minute that ends at `ends`, unless the limit is reached. */
export const countRequestBelow = async (
  db: MongoDatabase,
  accountId: string,
  limit: number,
  ends: Date,
): Promise<LimitStatus> => {
  const below = { _id: idOf(accountId, ends), used: { $lt: limit } };
  const change = { $inc: { used: 1 }, $setOnInsert: { endsAt: ends.getTime() } };
  while (limit > 0) {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const counted = await rateLimitCountersIn(db).findOneAndUpdate(below, change, options).catch(nullIfDuplicate);
    if (counted) return { ...limitStatus(counted.used, limit, ends), allowed: true };
    const used = await requestCountOf(db, accountId, ends);
    // Else another process made the document at the same moment.
    if (used >= limit) return limitStatus(used, limit, ends);
  }
  return limitStatus(await requestCountOf(db, accountId, ends), limit, ends);
};

/** Counts requests none of which is refused. */
const countRequests = async (db: MongoDatabase, accountId: string, ends: Date, requests: number): Promise<void> => {
  const change = { $inc: { used: requests }, $setOnInsert: { endsAt: ends.getTime() } };
  const add = () => rateLimitCountersIn(db).updateOne({ _id: idOf(accountId, ends) }, change, { upsert: true });
  // Of two processes that make the document at the same moment one is refused.
  while (!(await add().catch(nullIfDuplicate)));
};

const flushIntervalMs = 250;

/** Counts requests of accounts without a rate limit four times a second: nothing is decided by them. */
export const createRequestCountBuffer = (connection: Pick<MongoConnection, 'use'>) => {
  let gathered = new Map<string, { accountId: string; ends: Date; requests: number }>();
  let timer: NodeJS.Timeout | undefined;
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const all = [...gathered.values()];
    gathered = new Map();
    const count = ({ accountId, ends, requests }: (typeof all)[number]) =>
      connection.use((db) => countRequests(db, accountId, ends, requests));
    await Promise.allSettled(all.map(count));
  };
  return {
    add: (accountId: string, ends: Date): void => {
      const key = idOf(accountId, ends);
      gathered.set(key, { accountId, ends, requests: (gathered.get(key)?.requests ?? 0) + 1 });
      timer ??= setTimeout(() => void flush(), flushIntervalMs).unref();
    },
    flush,
  };
};
