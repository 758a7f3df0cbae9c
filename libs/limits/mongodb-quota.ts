import { type MongoDatabase, type MongoCollection, mongoCollectionIn } from '#libs/mongodb/connection.ts';
import { nullIfDuplicate } from '#libs/mongodb/errors.ts';
import type { LimitStatus, RenderOutcome, QuotaLimit, CountedRender, Usage, UsageReader } from './port.ts';
import { monthEnd, monthOf, limitStatus } from './windows.ts';

/**
 * The renders of an account in a month. `open` are the ids of those that the last correction did not find in the
 * usage read model. `corrections` is how often the counter was corrected.
 */
type QuotaCounter = {
  _id: string;
  accountId: string;
  month: string;
  used: number;
  pendingRenderIds: string[];
  corrections: number;
};

export const quotaCountersIn = (db: MongoDatabase): MongoCollection<QuotaCounter> =>
  mongoCollectionIn(db, 'quota_counters');

/** No counter has the renders of a time without limits: the next one begins with what the usage read model has. */
const idOf = (accountId: string, month: string, { quotaSince = 0 }: QuotaLimit): string =>
  `${accountId}/${month}/${quotaSince}`;

/** What the counter of a month has; one that is not there begins with what the usage read model has. */
export const readUsed = async (
  db: MongoDatabase,
  usage: UsageReader,
  accountId: string,
  month: string,
  quota: QuotaLimit,
): Promise<number> => {
  const _id = idOf(accountId, month, quota);
  // Every request asks this, and there may be thousands of open renders.
  const known = await quotaCountersIn(db).findOne({ _id }, { projection: { used: 1 } });
  if (known) return known.used;
  await usage.waitUntilCaughtUp();
  const { used } = await usage.usageOf(accountId, month);
  const counter = { _id, accountId, month, used, pendingRenderIds: [], corrections: 0 };
  const made = await quotaCountersIn(db).insertOne(counter).catch(nullIfDuplicate);
  return made ? used : readUsed(db, usage, accountId, month, quota);
};

/** Counts a render unless the quota is used up. */
export const countRenderBelow = async (
  db: MongoDatabase,
  usage: UsageReader,
  render: CountedRender,
  limit: number,
): Promise<LimitStatus> => {
  const { id, accountId, at } = render;
  const month = monthOf(at);
  const _id = idOf(accountId, month, render);
  const below = { _id, pendingRenderIds: { $ne: id }, used: { $lt: limit } };
  const change = { $inc: { used: 1 }, $push: { pendingRenderIds: id } };
  for (;;) {
    const counted = await quotaCountersIn(db).findOneAndUpdate(below, change, { returnDocument: 'after' });
    if (counted) return { ...limitStatus(counted.used, limit, monthEnd(at)), allowed: true };
    const used = await readUsed(db, usage, accountId, month, render);
    const isCounted = (await quotaCountersIn(db).countDocuments({ _id, pendingRenderIds: id })) > 0;
    if (isCounted || used >= limit) return { ...limitStatus(used, limit, monthEnd(at)), allowed: isCounted };
  }
};

/** Takes a render back, once. */
export const releaseRender = async (
  db: MongoDatabase,
  { id, accountId, at, ...quota }: CountedRender,
): Promise<void> => {
  const whileCounted = { _id: idOf(accountId, monthOf(at), quota), pendingRenderIds: id };
  await quotaCountersIn(db).updateOne(whileCounted, { $inc: { used: -1 }, $pull: { pendingRenderIds: id } });
};

/**
 * The counters of a month with what `usage` reads of each account. A counter that another process corrects between
 * the two is left out: what was read is older than that correction, which it would undo.
 */
export const countersWithUsage = async (
  db: MongoDatabase,
  month: string,
  usage: Pick<UsageReader, 'usageOfMonth'>,
): Promise<{ counter: QuotaCounter; usage: Usage }[]> => {
  const before = await quotaCountersIn(db)
    .find({ month }, { projection: { corrections: 1 } })
    .toArray();
  const corrections = new Map(before.map((one) => [one._id, one.corrections]));
  const used = await usage.usageOfMonth(month);
  const counters = await quotaCountersIn(db).find({ month }).toArray();
  const unchanged = counters.filter((one) => one.corrections === corrections.get(one._id));
  return unchanged.map((counter) => ({ counter, usage: used.get(counter.accountId) ?? { used: 0, lastPosition: 0 } }));
};

const outcomeBatchSize = 20;

/**
 * Brings a counter to what `usage`, read before it, has, and what is open beyond. Each render that was counted
 * before is in one of the two: ids leave `open` here and where a render is taken back, and nowhere else. The
 * change is a difference, so it holds beside what is counted meanwhile.
 */
export const correctCounter = async (
  db: MongoDatabase,
  { _id, used, pendingRenderIds, corrections }: QuotaCounter,
  usage: Usage,
  fateOf: (id: string) => Promise<RenderOutcome>,
): Promise<void> => {
  const fates: { id: string; fate: RenderOutcome }[] = [];
  for (let from = 0; from < pendingRenderIds.length; from += outcomeBatchSize) {
    const some = pendingRenderIds.slice(from, from + outcomeBatchSize);
    fates.push(...(await Promise.all(some.map(async (id) => ({ id, fate: await fateOf(id) })))));
  }
  const never = fates.filter(({ fate }) => fate === 'never').map(({ id }) => id);
  const inUsage = fates
    .filter(({ fate }) => typeof fate === 'number' && fate <= usage.lastPosition)
    .map(({ id }) => id);
  const closed = [...never, ...inUsage];
  const difference = usage.used + (pendingRenderIds.length - closed.length) - used;
  if (difference === 0 && closed.length === 0) return;
  // Beside another correction, or a render that is taken back late, the difference would be counted twice.
  const unchanged = { _id, corrections, ...(never.length > 0 && { pendingRenderIds: { $all: never } }) };
  await quotaCountersIn(db).updateOne(unchanged, {
    $inc: { used: difference, corrections: 1 },
    $pullAll: { pendingRenderIds: closed },
  });
};
