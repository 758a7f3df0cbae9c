import { type MongoConnection, type MongoDatabase, openMongoConnection } from '#libs/mongodb/connection.ts';
import {
  countRequestBelow,
  rateLimitCountersIn,
  createRequestCountBuffer,
  requestCountOf,
} from './mongodb-rate-limit.ts';
import {
  correctCounter,
  countersWithUsage,
  countRenderBelow,
  quotaCountersIn,
  releaseRender,
  readUsed,
} from './mongodb-quota.ts';
import type { LimitStatus, Limits, QuotaLimit, UsageReader } from './port.ts';
import {
  correctedMonths,
  minuteEnd,
  monthEnd,
  monthOf,
  oldestMinuteKept,
  oldestMonthKept,
  limitStatus,
} from './windows.ts';

const createIndexes = async (db: MongoDatabase): Promise<void> => {
  await rateLimitCountersIn(db).createIndex({ endsAt: 1 });
  await quotaCountersIn(db).createIndex({ month: 1 });
};

/**
 * Limits in MongoDB, shared by any number of processes: each count is one conditional increment.
 * `setting` is where the address stands, for messages.
 */
export const openMongoLimits = async (
  url: string,
  usage: UsageReader,
  setting = 'READ_STORE_URL',
): Promise<Limits & Pick<MongoConnection, 'missing'>> => {
  const connection = openMongoConnection(url, setting, createIndexes);
  const use: MongoConnection['use'] = (work) => connection.use(work);
  const gathering = createRequestCountBuffer(connection);

  const monthStanding = async (accountId: string, quota: QuotaLimit, now: Date): Promise<LimitStatus> => {
    if (quota.perMonth === null) return limitStatus(0, null, monthEnd(now));
    const used = await use((db) => readUsed(db, usage, accountId, monthOf(now), quota));
    return limitStatus(used, quota.perMonth, monthEnd(now));
  };
  const admitRequest = async (accountId: string, perMinute: number | null, ends: Date): Promise<LimitStatus> => {
    if (perMinute !== null) return use((db) => countRequestBelow(db, accountId, perMinute, ends));
    gathering.add(accountId, ends);
    return limitStatus(0, null, ends);
  };
  const minuteStanding = async (accountId: string, perMinute: number | null, ends: Date): Promise<LimitStatus> => {
    await gathering.flush();
    return limitStatus(await use((db) => requestCountOf(db, accountId, ends)), perMinute, ends);
  };

  return {
    countRequest: async (accountId, { perMinute, ...quota }, now) => {
      const admitting = admitRequest(accountId, perMinute, minuteEnd(now));
      const [minute, month] = await Promise.all([admitting, monthStanding(accountId, quota, now)]);
      return { rateLimit: minute, quota: month };
    },
    readStatus: async (accountId, { perMinute, ...quota }, now) => {
      const looking = minuteStanding(accountId, perMinute, minuteEnd(now));
      const [minute, month] = await Promise.all([looking, monthStanding(accountId, quota, now)]);
      return { rateLimit: minute, quota: month };
    },
    countRender: async (render) => {
      const { perMonth, at } = render;
      if (perMonth === null) return limitStatus(0, null, monthEnd(at));
      return use((db) => countRenderBelow(db, usage, render, perMonth));
    },
    confirmOrReleaseRender: async (render, position) => {
      // Corrections find the position of what was accepted.
      if (position === null && render.perMonth !== null) await use((db) => releaseRender(db, render));
    },
    correctCounters: async (fateOf, now) => {
      await use((db) => rateLimitCountersIn(db).deleteMany({ endsAt: { $lt: oldestMinuteKept(now) } }));
      await use((db) => quotaCountersIn(db).deleteMany({ month: { $lt: oldestMonthKept(now) } }));
      await usage.waitUntilCaughtUp();
      for (const month of correctedMonths(now)) {
        for (const { counter, usage: read } of await use((db) => countersWithUsage(db, month, usage))) {
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
