import { type Connection, type Database, type Documents, openConnection } from '#libs/mongodb/connection.ts';
import { isDuplicate } from '#libs/mongodb/trouble.ts';
import { beginMonth, closeRenders, forgo, giveBack, monthId, monthsIn, takeOpen } from './mongodb-months.ts';
import type { Limits, ReadMonth } from './port.ts';
import { minuteEnd, monthEnd, monthOf, standing } from './windows.ts';

/** The requests of an account in the minute that ends then. */
type Minute = { _id: string; ends: number; used: number };

const minutesIn = (db: Database): Documents<Minute> => db.collection<Minute>('minutes');
const minuteId = (account: string, ends: number): string => `${account}/${ends}`;

/** Minutes are kept for so long, for a clock that is set back. */
const minutesKeptMs = 2 * 3_600_000;
const monthsKept = 3;

/** Counts one request; answers with the count, or null where the limit is reached. */
const countRequest = async (db: Database, account: string, ends: number, limit: number | null): Promise<number | null> => {
  if (limit !== null && limit <= 0) return null;
  const id = { _id: minuteId(account, ends) };
  const below = limit === null ? id : { ...id, used: { $lt: limit } };
  const count = (upsert: boolean): Promise<Minute | null> => minutesIn(db).findOneAndUpdate(below, { $inc: { used: 1 }, $setOnInsert: { ends } }, { upsert, returnDocument: 'after' });
  try {
    return (await count(true))?.used ?? null;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // The document is there: the limit is reached, or another request has made it at the same moment.
    return (await count(false))?.used ?? null;
  }
};

const minuteUsed = async (db: Database, account: string, ends: number): Promise<number> => (await minutesIn(db).findOne({ _id: minuteId(account, ends) }))?.used ?? 0;

const prepare = async (db: Database): Promise<void> => {
  await minutesIn(db).createIndex({ ends: 1 });
  for (const field of ['month', 'open.id', 'open.since']) await monthsIn(db).createIndex({ [field]: 1 });
};

/** Removes what no clock will come back to, once a minute and month. */
const openSweep = () => {
  let swept = { minute: 0, month: '' };
  return async (db: Database, now: Date): Promise<void> => {
    const [minute, month] = [minuteEnd(now).getTime(), monthOf(now)];
    const before = swept;
    swept = { minute, month };
    if (minute !== before.minute) await minutesIn(db).deleteMany({ ends: { $lt: minute - minutesKeptMs } });
    if (month !== before.month) await monthsIn(db).deleteMany({ month: { $lt: monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsKept, 1))) } });
  };
};

/** Limits in MongoDB, shared by any number of processes: each count is one conditional write to one document. `setting` is where the address stands, for messages. */
export const openMongoLimits = async (url: string, readMonth: ReadMonth, setting = 'READ_STORE_URL'): Promise<Limits & Pick<Connection, 'missing'>> => {
  const connection = openConnection(url, setting, prepare);
  const sweep = openSweep();
  return {
    takeRequest: (accountId, perMinute, now) =>
      connection.use(async (db) => {
        await sweep(db, now);
        const resetAt = minuteEnd(now);
        const used = await countRequest(db, accountId, resetAt.getTime(), perMinute);
        return { ...standing(used ?? (await minuteUsed(db, accountId, resetAt.getTime())), perMinute, resetAt), allowed: used !== null };
      }),
    requests: (accountId, perMinute, now) =>
      connection.use(async (db) => {
        const resetAt = minuteEnd(now);
        return standing(await minuteUsed(db, accountId, resetAt.getTime()), perMinute, resetAt);
      }),
    takeRender: ({ id, accountId }, perMonth, now) =>
      connection.use(async (db) => {
        const month = monthOf(now);
        const render = { id, since: now.getTime() };
        const begun = await takeOpen(db, monthId(accountId, month), render, perMonth);
        if (begun) return { ...standing(begun.used, perMonth, monthEnd(now)), allowed: true };
        const known = await beginMonth(db, readMonth, accountId, month);
        const taken = await takeOpen(db, known._id, render, perMonth);
        if (taken) return { ...standing(taken.used, perMonth, monthEnd(now)), allowed: true };
        const { used, open } = await beginMonth(db, readMonth, accountId, month);
        return { ...standing(used, perMonth, monthEnd(now)), allowed: open.some((one) => one.id === id) };
      }),
    forgoRender: (renderId) => connection.use((db) => forgo(db, renderId)),
    learn: (facts) =>
      connection.use(async (db) => {
        const accepted = facts.flatMap((fact) => (fact.kind === 'accepted' ? fact.renderId : []));
        if (accepted.length > 0) await closeRenders(db, accepted);
        for (const fact of facts) if (fact.kind === 'given-back') await giveBack(db, fact);
      }),
    openRenders: (before) =>
      connection.use(async (db) => {
        const limit = before.getTime();
        const months = await monthsIn(db).find({ 'open.since': { $lt: limit } }).toArray();
        const open = months.flatMap((month) => month.open).filter(({ since }) => since < limit);
        return open.toSorted((one, other) => one.since - other.since).map(({ id }) => id);
      }),
    renders: (accountId, perMonth, now) => connection.use(async (db) => standing((await beginMonth(db, readMonth, accountId, monthOf(now))).used, perMonth, monthEnd(now))),
    missing: () => connection.missing(),
    close: () => connection.close(),
  };
};
