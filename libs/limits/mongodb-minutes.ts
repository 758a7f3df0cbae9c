import { type Connection, type Database, type Documents, documentsIn } from '#libs/mongodb/connection.ts';
import { exceptDuplicate } from '#libs/mongodb/trouble.ts';
import type { Allowance } from './port.ts';
import { standing } from './windows.ts';

/** The requests of an account in the minute that ends at `ends`, in milliseconds. */
type Minute = { _id: string; ends: number; used: number };

export const minutesIn = (db: Database): Documents<Minute> => documentsIn(db, 'rateLimitMinutes');

const idOf = (accountId: string, ends: Date): string => `${accountId}/${ends.getTime()}`;

export const requestsIn = async (db: Database, accountId: string, ends: Date): Promise<number> =>
  (await minutesIn(db).findOne({ _id: idOf(accountId, ends) }))?.used ?? 0;

/** Counts a request in the minute that ends at `ends`, unless the limit is reached. */
export const countRequest = async (db: Database, accountId: string, limit: number, ends: Date): Promise<Allowance> => {
  const below = { _id: idOf(accountId, ends), used: { $lt: limit } };
  const change = { $inc: { used: 1 }, $setOnInsert: { ends: ends.getTime() } };
  while (limit > 0) {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const counted = await minutesIn(db).findOneAndUpdate(below, change, options).catch(exceptDuplicate);
    if (counted) return { ...standing(counted.used, limit, ends), allowed: true };
    const used = await requestsIn(db, accountId, ends);
    // Else another process made the document at the same moment.
    if (used >= limit) return standing(used, limit, ends);
  }
  return standing(await requestsIn(db, accountId, ends), limit, ends);
};

/** Counts requests none of which is refused. */
const addRequests = async (db: Database, accountId: string, ends: Date, requests: number): Promise<void> => {
  const change = { $inc: { used: requests }, $setOnInsert: { ends: ends.getTime() } };
  const add = () => minutesIn(db).updateOne({ _id: idOf(accountId, ends) }, change, { upsert: true });
  // Of two processes that make the document at the same moment one is refused.
  while (!(await add().catch(exceptDuplicate)));
};

const gatherMs = 250;

/** Counts requests of accounts without a rate limit four times a second: nothing is decided by them. */
export const openGathering = (connection: Pick<Connection, 'use'>) => {
  let gathered = new Map<string, { accountId: string; ends: Date; requests: number }>();
  let timer: NodeJS.Timeout | undefined;
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const all = [...gathered.values()];
    gathered = new Map();
    const count = ({ accountId, ends, requests }: (typeof all)[number]) =>
      connection.use((db) => addRequests(db, accountId, ends, requests));
    await Promise.allSettled(all.map(count));
  };
  return {
    add: (accountId: string, ends: Date): void => {
      const key = idOf(accountId, ends);
      gathered.set(key, { accountId, ends, requests: (gathered.get(key)?.requests ?? 0) + 1 });
      timer ??= setTimeout(() => void flush(), gatherMs).unref();
    },
    flush,
  };
};
