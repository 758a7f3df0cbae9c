import { type Connection, type Database, openConnection } from '#libs/mongodb/connection.ts';
import { countRequest, minutesIn, openGathering, requestsIn } from './mongodb-minutes.ts';
import { correctCounter, countersOf, countRender, monthsIn, takeBack, usedIn } from './mongodb-months.ts';
import type { Allowance, Limits, Quota, UsageReader } from './port.ts';
import { liveMonths, minuteEnd, monthEnd, monthOf, oldestMinuteKept, oldestMonthKept, standing } from './windows.ts';

const prepare = async (db: Database): Promise<void> => {
  await minutesIn(db).createIndex({ ends: 1 });
  await monthsIn(db).createIndex({ month: 1 });
};

/**
 * Limits in MongoDB, shared by any number of processes: each count is one conditional increment.
 * `setting` is where the address stands, for messages.
 */
export const openMongoLimits = async (
  url: string, usage: UsageReader, setting = 'READ_STORE_URL',
): Promise<Limits & Pick<Connection, 'missing'>> => {
  const connection = openConnection(url, setting, prepare);
  const use: Connection['use'] = (work) => connection.use(work);
  const gathering = openGathering(connection);

  const monthStanding = async (accountId: string, quota: Quota, now: Date): Promise<Allowance> => {
    if (quota.perMonth === null) return standing(0, null, monthEnd(now));
    const used = await use((db) => usedIn(db, usage, accountId, monthOf(now), quota));
    return standing(used, quota.perMonth, monthEnd(now));
  };
  const admitRequest = async (accountId: string, perMinute: number | null, ends: Date): Promise<Allowance> => {
    if (perMinute !== null) return use((db) => countRequest(db, accountId, perMinute, ends));
    gathering.add(accountId, ends);
    return standing(0, null, ends);
  };
  const minuteStanding = async (accountId: string, perMinute: number | null, ends: Date): Promise<Allowance> => {
    await gathering.flush();
    return standing(await use((db) => requestsIn(db, accountId, ends)), perMinute, ends);
  };

  return {
    admit: async (accountId, { perMinute, ...quota }, now) => {
      const admitting = admitRequest(accountId, perMinute, minuteEnd(now));
      const [minute, month] = await Promise.all([admitting, monthStanding(accountId, quota, now)]);
      return { minute, month };
    },
    look: async (accountId, { perMinute, ...quota }, now) => {
      const looking = minuteStanding(accountId, perMinute, minuteEnd(now));
      const [minute, month] = await Promise.all([looking, monthStanding(accountId, quota, now)]);
      return { minute, month };
    },
    takeRender: async (render) => {
      const { perMonth, at } = render;
      if (perMonth === null) return standing(0, null, monthEnd(at));
      return use((db) => countRender(db, usage, render, perMonth));
    },
    settleRender: async (render, position) => {
      // Corrections find the position of what was accepted.
      if (position === null && render.perMonth !== null) await use((db) => takeBack(db, render));
    },
    correct: async (fateOf, now) => {
      await use((db) => minutesIn(db).deleteMany({ ends: { $lt: oldestMinuteKept(now) } }));
      await use((db) => monthsIn(db).deleteMany({ month: { $lt: oldestMonthKept(now) } }));
      await usage.caughtUp();
      for (const month of liveMonths(now)) {
        for (const { counter, usage: read } of await use((db) => countersOf(db, month, usage))) {
          await use((db) => correctCounter(db, counter, read, fateOf));
        }
      }
    },
    missing: () => connection.missing(),
    close: async () => {
      await gathering.flush();
      await connection.close();
    },
  };
};
