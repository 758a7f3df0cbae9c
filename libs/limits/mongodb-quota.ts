import { type MongoDatabase, type MongoCollection, mongoCollectionIn } from '#libs/mongodb/connection.ts';
import { nullIfDuplicate } from '#libs/mongodb/errors.ts';
import type { LimitStatus, RenderOutcome, QuotaLimit, CountedRender, Usage, UsageReader } from './port.ts';
import { monthEnd, monthOf, limitStatus } from './windows.ts';

/**
 * The renders of an account in a month. `pendingRenderIds` are those that the last correction did not find in the
 * usage read model. `corrections` counts the corrections of this counter. `lastPosition` is that of the usage that it was
 * last set to: every render that was accepted later is pending. Counters of earlier versions lack it.
 */
type QuotaCounter = {
  _id: string;
  accountId: string;
  month: string;
  used: number;
  pendingRenderIds: string[];
  corrections: number;
  lastPosition?: number;
};

export const quotaCountersIn = (db: MongoDatabase): MongoCollection<QuotaCounter> =>
  mongoCollectionIn(db, 'quota_counters');

/** Renders without a quota are not counted. So after each change to a limited plan a new counter starts from the usage read model. */
const idOf = (accountId: string, month: string, { quotaSince = 0 }: QuotaLimit): string =>
  `${accountId}/${month}/${quotaSince}`;

/** The renders that the counter of a month has. A new counter starts with the number in the usage read model. */
export const readUsed = async (
  db: MongoDatabase,
  usage: UsageReader,
  accountId: string,
  month: string,
  quota: QuotaLimit,
): Promise<number> => {
  const _id = idOf(accountId, month, quota);
  // Every request reads this, and a counter may hold thousands of pending renders.
  const stored = await quotaCountersIn(db).findOne({ _id }, { projection: { used: 1 } });
  if (stored) return stored.used;
  await usage.waitUntilCaughtUp();
  const { used, lastPosition } = await usage.usageOf(accountId, month);
  const counter = { _id, accountId, month, used, pendingRenderIds: [], corrections: 0, lastPosition };
  const inserted = await quotaCountersIn(db).insertOne(counter).catch(nullIfDuplicate);
  return inserted ? used : readUsed(db, usage, accountId, month, quota);
};

/** The id of a pending render, with the number of renders that it counts as, unless that is 1. */
const pendingIdOf = ({ id, renders = 1 }: Pick<CountedRender, 'id' | 'renders'>): string =>
  renders === 1 ? id : `${id}*${renders}`;
const renderIdIn = (pendingId: string): string => pendingId.split('*')[0]!;
const rendersIn = (pendingIds: readonly string[]): number =>
  pendingIds.reduce((sum, pendingId) => sum + Number(pendingId.split('*')[1] ?? 1), 0);

/** Counts a render unless the quota is used up. A render that is counted already is allowed. */
export const countRenderBelow = async (
  db: MongoDatabase,
  usage: UsageReader,
  render: CountedRender,
  limit: number,
): Promise<LimitStatus> => {
  const { accountId, at, renders = 1 } = render;
  const id = pendingIdOf(render);
  const month = monthOf(at);
  const _id = idOf(accountId, month, render);
  const below = { _id, pendingRenderIds: { $ne: id }, used: { $lte: limit - renders } };
  const change = { $inc: { used: renders }, $push: { pendingRenderIds: id } };
  for (;;) {
    const counted = await quotaCountersIn(db).findOneAndUpdate(below, change, { returnDocument: 'after' });
    if (counted) return { ...limitStatus(counted.used, limit, monthEnd(at)), allowed: true };
    const used = await readUsed(db, usage, accountId, month, render);
    const isCounted = (await quotaCountersIn(db).countDocuments({ _id, pendingRenderIds: id })) > 0;
    if (isCounted || used > limit - renders) return { ...limitStatus(used, limit, monthEnd(at)), allowed: isCounted };
  }
};

/** Subtracts a render that was counted, once. */
export const releaseRender = async (
  db: MongoDatabase,
  { id: renderId, accountId, at, renders = 1, ...quota }: CountedRender,
): Promise<void> => {
  const id = pendingIdOf({ id: renderId, renders });
  const whileCounted = { _id: idOf(accountId, monthOf(at), quota), pendingRenderIds: id };
  await quotaCountersIn(db).updateOne(whileCounted, { $inc: { used: -renders }, $pull: { pendingRenderIds: id } });
};

/**
 * The counters of a month, each with the usage of its account. A counter that another process corrects during the
 * read is left out: the usage that was read is older than that correction and would undo it.
 */
export const countersWithUsage = async (
  db: MongoDatabase,
  month: string,
  usage: Pick<UsageReader, 'usageOfAccounts'>,
): Promise<{ counter: QuotaCounter; usage: Usage }[]> => {
  const before = await quotaCountersIn(db)
    .find({ month }, { projection: { accountId: 1, corrections: 1 } })
    .toArray();
  const corrections = new Map(before.map((counter) => [counter._id, counter.corrections]));
  const used = await usage.usageOfAccounts([...new Set(before.map(({ accountId }) => accountId))], month);
  const counters = await quotaCountersIn(db).find({ month }).toArray();
  const unchanged = counters.filter((counter) => counter.corrections === corrections.get(counter._id));
  return unchanged.map((counter) => ({ counter, usage: used.get(counter.accountId) ?? { used: 0, lastPosition: 0 } }));
};

/**
 * Whether the usage is older than the one that the counter was last set to, and so lacks renders that are pending no
 * longer. Around the end of a rebuild, a read model that is behind may go back for a moment.
 */
export const isUsageOlder = ({ lastPosition = 0 }: QuotaCounter, usage: Usage): boolean =>
  usage.lastPosition < lastPosition;

const outcomeBatchSize = 20;

/**
 * Sets a counter to `usage`, which was read before the counter, plus the renders that are still pending. Each counted
 * render is in one of the two, because only this function and `releaseRender` remove ids from `pendingRenderIds`. The
 * update adds a difference, so renders that are counted at the same time are kept.
 */
export const correctCounter = async (
  db: MongoDatabase,
  { _id, used, pendingRenderIds, corrections }: QuotaCounter,
  usage: Usage,
  outcomeOf: (id: string) => Promise<RenderOutcome>,
): Promise<void> => {
  const outcomes: { id: string; outcome: RenderOutcome }[] = [];
  for (let from = 0; from < pendingRenderIds.length; from += outcomeBatchSize) {
    const batch = pendingRenderIds.slice(from, from + outcomeBatchSize);
    outcomes.push(...(await Promise.all(batch.map(async (id) => ({ id, outcome: await outcomeOf(renderIdIn(id)) })))));
  }
  const never = outcomes.filter(({ outcome }) => outcome === 'never').map(({ id }) => id);
  const inUsage = outcomes
    .filter(({ outcome }) => typeof outcome === 'number' && outcome <= usage.lastPosition)
    .map(({ id }) => id);
  const settled = [...never, ...inUsage];
  const difference = usage.used + (rendersIn(pendingRenderIds) - rendersIn(settled)) - used;
  if (difference === 0 && settled.length === 0) return;
  // Without these conditions a parallel correction, or a late release of a render, would apply the difference twice.
  const unchanged = { _id, corrections, ...(never.length > 0 && { pendingRenderIds: { $all: never } }) };
  await quotaCountersIn(db).updateOne(unchanged, {
    $inc: { used: difference, corrections: 1 },
    $set: { lastPosition: usage.lastPosition },
    $pullAll: { pendingRenderIds: settled },
  });
};
