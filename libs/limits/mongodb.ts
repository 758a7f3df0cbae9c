import { type MongoConnection, type MongoDatabase, openMongoConnection } from '#libs/mongodb/connection.ts';
import {
  countRequestBelow,
  rateLimitCountersIn,
  createRequestCountBuffer,
  requestCountOf,
} from './mongodb-rate-limit.ts';
import { correctEach } from './correct-each.ts';
import {
  correctCounter,
  countersWithUsage,
  isUsageOlder,
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
 * Limits in MongoDB, shared by any number of processes: each count is one conditional increment. `url` is
 * READ_STORE_URL.
 */
export const openMongoLimits = async (
  url: string,
  usage: UsageReader,
): Promise<Limits & Pick<MongoConnection, 'missing'>> => {
  const connection = openMongoConnection(url, 'READ_STORE_URL', createIndexes);
  const use: MongoConnection['use'] = (work) => connection.use(work);
  const unlimitedRequests = createRequestCountBuffer(connection);

  const quotaStatus = async (accountId: string, quotaLimit: QuotaLimit, now: Date): Promise<LimitStatus> => {
    if (quotaLimit.perMonth === null) return limitStatus(0, null, monthEnd(now));
    const used = await use((db) => readUsed(db, usage, accountId, monthOf(now), quotaLimit));
    return limitStatus(used, quotaLimit.perMonth, monthEnd(now));
  };
  const countAgainstRateLimit = async (
    accountId: string,
    perMinute: number | null,
    endsAt: Date,
  ): Promise<LimitStatus> => {
    if (perMinute !== null) return use((db) => countRequestBelow(db, accountId, perMinute, endsAt));
    unlimitedRequests.add(accountId, endsAt);
    return limitStatus(0, null, endsAt);
  };
  const rateLimitStatus = async (accountId: string, perMinute: number | null, endsAt: Date): Promise<LimitStatus> => {
    await unlimitedRequests.flush();
    return limitStatus(await use((db) => requestCountOf(db, accountId, endsAt)), perMinute, endsAt);
  };

  return {
    countRequest: async (accountId, { perMinute, ...quotaLimit }, now) => {
      const counting = countAgainstRateLimit(accountId, perMinute, minuteEnd(now));
      const [rateLimit, quota] = await Promise.all([counting, quotaStatus(accountId, quotaLimit, now)]);
      return { rateLimit, quota };
    },
    readStatus: async (accountId, { perMinute, ...quotaLimit }, now) => {
      const reading = rateLimitStatus(accountId, perMinute, minuteEnd(now));
      const [rateLimit, quota] = await Promise.all([reading, quotaStatus(accountId, quotaLimit, now)]);
      return { rateLimit, quota };
    },
    countRender: async (render) => {
      const { perMonth, at } = render;
      if (perMonth === null) return limitStatus(0, null, monthEnd(at));
      return use((db) => countRenderBelow(db, usage, render, perMonth));
    },
    confirmOrReleaseRender: async (render, position) => {
      // Corrections find the position of accepted renders.
      if (position === null && render.perMonth !== null) await use((db) => releaseRender(db, render));
    },
    correctCounters: async (outcomeOf, now) => {
      await use((db) => rateLimitCountersIn(db).deleteMany({ endsAt: { $lt: oldestMinuteKept(now) } }));
      await use((db) => quotaCountersIn(db).deleteMany({ month: { $lt: oldestMonthKept(now) } }));
      const isCaughtUp = await usage.waitUntilCaughtUp().then(
        () => true,
        () => false,
      );
      const months = correctedMonths(now).map((month) => use((db) => countersWithUsage(db, month, usage)));
      const counters = (await Promise.all(months)).flat();
      // The usage that a caught-up read model has is right, even if it is older: the event log may be a restored one.
      const correctable = counters.filter((one) => isCaughtUp || !isUsageOlder(one.counter, one.usage));
      await correctEach(correctable, (one) => use((db) => correctCounter(db, one.counter, one.usage, outcomeOf)));
    },
    missing: () => connection.missing(),
    close: async () => {
      await unlimitedRequests.flush();
      await connection.close();
    },
  };
};
