import { type Connection, type Database, openConnection } from '#libs/mongodb/connection.ts';
import { openMark } from '#libs/mongodb/mark.ts';
import { beginMonth, builtTo, closeRenders, dropOldMinutes, forgetCounts, forgo, giveBack, type Month, monthId, monthsIn, noteInMinute, takeInMinute, takeOpen, usedInMinute } from './mongodb-months.ts';
import type { Limits, ReadMonth } from './port.ts';
import { minuteEnd, monthEnd, monthOf, monthsKept, standing } from './windows.ts';

const prepare = async (db: Database): Promise<void> => {
  for (const field of ['month', 'open.id', 'open.since']) await monthsIn(db).createIndex({ [field]: 1 });
};

/** Removes the months that no clock will come back to, once a month. */
const openSweep = () => {
  let swept = '';
  return async (db: Database, now: Date): Promise<void> => {
    const month = monthOf(now);
    if (month === swept) return;
    swept = month;
    await monthsIn(db).deleteMany({ month: { $lt: monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsKept, 1))) } });
  };
};

type Counts = Pick<Month, 'used' | 'minutes'>;
type Asked = { accountId: string; limit: number | null; since: number; now: Date };

/** Counts a request of an account; where its minute has no room for it, only tells of the counts. */
const countRequest = async (db: Database, readMonth: ReadMonth, { accountId, limit, since, now }: Asked): Promise<Counts & { allowed: boolean }> => {
  const [_id, ends] = [monthId(accountId, monthOf(now)), minuteEnd(now).getTime()];
  const hasRoom = limit === null || limit > 0;
  for (;;) {
    const counted = hasRoom ? await takeInMinute(db, _id, ends, limit, since) : null;
    if (counted) {
      await dropOldMinutes(db, _id, counted.minutes, ends);
      return { ...counted, allowed: true };
    }
    const month = await beginMonth(db, readMonth, accountId, monthOf(now), since);
    if (!hasRoom || (limit !== null && usedInMinute(month, ends) >= limit)) return { ...month, allowed: false };
  }
};

/** Limits in MongoDB, shared by any number of processes: each count is one conditional write to one document. `setting` is where the address stands, for messages. */
export const openMongoLimits = async (url: string, readMonth: ReadMonth, setting = 'READ_STORE_URL'): Promise<Limits & Pick<Connection, 'missing'>> => {
  const connection = openConnection(url, setting, prepare);
  const sweep = openSweep();
  return {
    admit: (accountId, { perMinute, perMonth, since = 0 }, now) =>
      connection.use(async (db) => {
        await sweep(db, now);
        const counts = await countRequest(db, readMonth, { accountId, limit: perMinute, since, now });
        const resetAt = minuteEnd(now);
        return {
          minute: { ...standing(usedInMinute(counts, resetAt.getTime()), perMinute, resetAt), allowed: counts.allowed },
          month: standing(counts.used, perMonth, monthEnd(now)),
        };
      }),
    note: (accountId, requests, now) =>
      connection.use(async (db) => {
        await sweep(db, now);
        await noteInMinute(db, accountId, monthOf(now), minuteEnd(now).getTime(), requests);
      }),
    requests: (accountId, perMinute, now) =>
      connection.use(async (db) => {
        const resetAt = minuteEnd(now);
        const month = await monthsIn(db).findOne({ _id: monthId(accountId, monthOf(now)) });
        return standing(month ? usedInMinute(month, resetAt.getTime()) : 0, perMinute, resetAt);
      }),
    takeRender: ({ id, accountId }, { perMonth, since = 0 }, now) =>
      connection.use(async (db) => {
        const month = monthOf(now);
        const render = { id, since: now.getTime() };
        for (;;) {
          const taken = await takeOpen(db, monthId(accountId, month), render, perMonth, since);
          if (taken) return { ...standing(taken.used, perMonth, monthEnd(now)), allowed: true };
          const { used, open } = await beginMonth(db, readMonth, accountId, month, since);
          const isOpen = open.some((one) => one.id === id);
          // Else it was being begun, perhaps for a limit that has changed meanwhile.
          if (isOpen || (perMonth !== null && used >= perMonth)) return { ...standing(used, perMonth, monthEnd(now)), allowed: isOpen };
        }
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
    builtTo: () => connection.use(builtTo),
    forget: () => connection.use(forgetCounts),
    renders: (accountId, { perMonth, since = 0 }, now) => connection.use(async (db) => standing((await beginMonth(db, readMonth, accountId, monthOf(now), since)).used, perMonth, monthEnd(now))),
    ...openMark(connection, 'installation', 'limits'),
    missing: () => connection.missing(),
    close: () => connection.close(),
  };
};
