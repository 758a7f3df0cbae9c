import { type Database, type Documents, documentsIn } from '#libs/mongodb/connection.ts';
import { exceptDuplicate } from '#libs/mongodb/trouble.ts';
import type { Allowance, Fate, Quota, RenderToCount, Usage, UsageReader } from './port.ts';
import { monthEnd, monthOf, standing } from './windows.ts';

/**
 * The renders of an account in a month. `open` are the ids of those that the last correction did not find in the
 * usage read model. `corrections` is how often the counter was corrected.
 */
type Month = { _id: string; account: string; month: string; used: number; open: string[]; corrections: number };

export const monthsIn = (db: Database): Documents<Month> => documentsIn(db, 'quotaMonths');

/** No counter has the renders of a time without limits: the next one begins with what the usage read model has. */
const idOf = (accountId: string, month: string, { since = 0 }: Quota): string => `${accountId}/${month}/${since}`;

/** What the counter of a month has; one that is not there begins with what the usage read model has. */
export const usedIn = async (
  db: Database, usage: UsageReader, accountId: string, month: string, quota: Quota,
): Promise<number> => {
  const _id = idOf(accountId, month, quota);
  // Every request asks this, and there may be thousands of open renders.
  const known = await monthsIn(db).findOne({ _id }, { projection: { used: 1 } });
  if (known) return known.used;
  await usage.caughtUp();
  const { used } = await usage.of(accountId, month);
  const counter = { _id, account: accountId, month, used, open: [], corrections: 0 };
  const made = await monthsIn(db).insertOne(counter).catch(exceptDuplicate);
  return made ? used : usedIn(db, usage, accountId, month, quota);
};

/** Counts a render unless the quota is used up. */
export const countRender = async (
  db: Database, usage: UsageReader, render: RenderToCount, limit: number,
): Promise<Allowance> => {
  const { id, accountId, at } = render;
  const month = monthOf(at);
  const _id = idOf(accountId, month, render);
  const below = { _id, open: { $ne: id }, used: { $lt: limit } };
  const change = { $inc: { used: 1 }, $push: { open: id } };
  for (;;) {
    const counted = await monthsIn(db).findOneAndUpdate(below, change, { returnDocument: 'after' });
    if (counted) return { ...standing(counted.used, limit, monthEnd(at)), allowed: true };
    const used = await usedIn(db, usage, accountId, month, render);
    const isCounted = (await monthsIn(db).countDocuments({ _id, open: id })) > 0;
    if (isCounted || used >= limit) return { ...standing(used, limit, monthEnd(at)), allowed: isCounted };
  }
};

/** Takes a render back, once. */
export const takeBack = async (db: Database, { id, accountId, at, ...quota }: RenderToCount): Promise<void> => {
  const whileCounted = { _id: idOf(accountId, monthOf(at), quota), open: id };
  await monthsIn(db).updateOne(whileCounted, { $inc: { used: -1 }, $pull: { open: id } });
};

/**
 * The counters of a month with what `usage` reads of each account. A counter that another process corrects between
 * the two is left out: what was read is older than that correction, which it would undo.
 */
export const countersOf = async (
  db: Database, month: string, usage: Pick<UsageReader, 'ofMonth'>,
): Promise<{ counter: Month; usage: Usage }[]> => {
  const before = await monthsIn(db).find({ month }, { projection: { corrections: 1 } }).toArray();
  const corrections = new Map(before.map((one) => [one._id, one.corrections]));
  const used = await usage.ofMonth(month);
  const counters = await monthsIn(db).find({ month }).toArray();
  const unchanged = counters.filter((one) => one.corrections === corrections.get(one._id));
  return unchanged.map((counter) => ({ counter, usage: used.get(counter.account) ?? { used: 0, through: 0 } }));
};

const fatesAtOnce = 20;

/**
 * Brings a counter to what `usage`, read before it, has, and what is open beyond. Each render that was counted
 * before is in one of the two: ids leave `open` here and where a render is taken back, and nowhere else. The
 * change is a difference, so it holds beside what is counted meanwhile.
 */
export const correctCounter = async (
  db: Database, { _id, used, open, corrections }: Month, usage: Usage, fateOf: (id: string) => Promise<Fate>,
): Promise<void> => {
  const fates: { id: string; fate: Fate }[] = [];
  for (let from = 0; from < open.length; from += fatesAtOnce) {
    const some = open.slice(from, from + fatesAtOnce);
    fates.push(...(await Promise.all(some.map(async (id) => ({ id, fate: await fateOf(id) })))));
  }
  const never = fates.filter(({ fate }) => fate === 'never').map(({ id }) => id);
  const inUsage = fates.filter(({ fate }) => typeof fate === 'number' && fate <= usage.through).map(({ id }) => id);
  const closed = [...never, ...inUsage];
  const difference = usage.used + (open.length - closed.length) - used;
  if (difference === 0 && closed.length === 0) return;
  // Beside another correction, or a render that is taken back late, the difference would be counted twice.
  const unchanged = { _id, corrections, ...(never.length > 0 && { open: { $all: never } }) };
  await monthsIn(db).updateOne(unchanged, { $inc: { used: difference, corrections: 1 }, $pullAll: { open: closed } });
};
