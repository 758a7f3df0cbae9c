import { type Database, type Documents, documentsIn } from '#libs/mongodb/connection.ts';
import { isDuplicate } from '#libs/mongodb/trouble.ts';
import type { LogFact, ReadMonth } from './port.ts';
import { minutesKeptMs } from './windows.ts';

/** A render that was counted and is not known to be in the log; `since` in milliseconds of the clock. */
export type OpenRender = { id: string; since: number };

/**
 * What an account has used in a month, with the renders that are open and the requests of its last minutes: in one document, so that one write counts a render
 * and notes it, and one counts a request and tells of the month. Once it is `asked` for, the log is asked for the count until that is `begun`, and `back` are the positions of what it gives back meanwhile.
 * `since` is the position of the latest change of the account's limit that the count knows of.
 */
export type Month = { _id: string; account: string; month: string; begun: boolean; used: number; through: number; open: OpenRender[]; back: number[]; minutes: Record<string, number>; since?: number; asked?: boolean };

export const monthsIn = (db: Database): Documents<Month> => documentsIn<Month>(db, 'months');
export const monthId = (account: string, month: string): string => `${account}/${month}`;

const uncounted = { begun: false, used: 0, through: 0, open: [], back: [] };
/** What a count depends on that must not have been begun earlier. */
const begunSince = (since: number): object => (since === 0 ? { begun: true } : { begun: true, since: { $gte: since } });

type GivenBack = Extract<LogFact, { kind: 'given-back' }>;

/** Makes the month's document where there is none, its count not begun. */
const make = async (db: Database, account: string, month: string, of: Pick<Month, 'since' | 'asked'>): Promise<void> => {
  await monthsIn(db).insertOne({ _id: monthId(account, month), account, month, ...uncounted, minutes: {}, ...of }).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
  });
};

/**
 * The month's document with its count; begun from the log where it has none yet. What was given back before the document was there is in the log's count,
 * since the log is asked later; what is given back from then on is noted in it. A count that was begun before `since` is thrown away.
 */
export const beginMonth = async (db: Database, readMonth: ReadMonth, account: string, month: string, since = 0): Promise<Month> => {
  const _id = monthId(account, month);
  const known = await monthsIn(db).findOne({ _id });
  const isOld = known !== null && (known.since ?? 0) < since;
  if (known?.begun && !isOld) return known;
  if (!known) await make(db, account, month, { since, asked: true });
  else if (isOld) await monthsIn(db).updateOne({ _id, since: known.since ?? null } as object, { $set: { ...uncounted, since, asked: true } });
  else if (!known.asked) await monthsIn(db).updateOne({ _id, begun: false }, { $set: { asked: true } });
  const begunFor = await monthsIn(db).findOne({ _id });
  const inLog = await readMonth(account, month);
  for (;;) {
    const now = await monthsIn(db).findOne({ _id });
    if (!now || now.since !== begunFor?.since) return beginMonth(db, readMonth, account, month, since);
    if (now.begun) return now;
    const later = now.back.filter((position) => position > inLog.through);
    const counts = { used: Math.max(0, inLog.used - later.length), through: Math.max(inLog.through, ...later) };
    await monthsIn(db).updateOne({ _id, begun: false, back: now.back, since: now.since ?? null } as object, { $set: { ...counts, begun: true, back: [] } });
  }
};

/** Takes one off the count, unless that is known of already. */
export const giveBack = async (db: Database, { accountId, month, position }: GivenBack): Promise<void> => {
  const _id = monthId(accountId, month);
  const months = monthsIn(db);
  // What is given back before the log is asked for is in its answer. In this order a month that is begun meanwhile has the rest noted.
  if ((await months.updateOne({ _id, begun: false, asked: true }, { $addToSet: { back: position } })).matchedCount > 0) return;
  const later = { _id, begun: true, through: { $lt: position } };
  if ((await months.updateOne({ ...later, used: { $gt: 0 } }, { $inc: { used: -1 }, $set: { through: position } })).matchedCount > 0) return;
  await months.updateOne(later, { $set: { through: position } });
};

/** Counts a render and notes it as open, unless the limit is reached or it is open already. */
export const takeOpen = async (db: Database, _id: string, render: OpenRender, limit: number | null, since: number): Promise<Month | null> =>
  monthsIn(db).findOneAndUpdate(
    { _id, ...begunSince(since), 'open.id': { $ne: render.id }, ...(limit === null ? {} : { used: { $lt: limit } }) },
    { $inc: { used: 1 }, $push: { open: render } },
    { returnDocument: 'after' },
  );

/** A minute by its end, as a field of its month. */
const fieldOfMinute = (ends: number): string => `m${ends}`;
const endOfMinute = (field: string): number => Number(field.slice(1));

/** The requests of the minute that ends then. */
export const usedInMinute = ({ minutes }: Pick<Month, 'minutes'>, ends: number): number => minutes[fieldOfMinute(ends)] ?? 0;

/** Counts a request in its minute, unless the limit is reached; answers with the counts. */
export const takeInMinute = async (db: Database, _id: string, ends: number, limit: number | null, since: number): Promise<Pick<Month, 'used' | 'minutes'> | null> => {
  const minute = `minutes.${fieldOfMinute(ends)}`;
  return monthsIn(db).findOneAndUpdate(
    { _id, ...begunSince(since), ...(limit === null ? {} : { [minute]: { $not: { $gte: limit } } }) },
    { $inc: { [minute]: 1 } },
    { returnDocument: 'after' },
  );
};

/** Counts requests in their minute, whether or not the month's count was begun. */
export const noteInMinute = async (db: Database, account: string, month: string, ends: number, requests: number): Promise<void> => {
  const _id = monthId(account, month);
  const more = { $inc: { [`minutes.${fieldOfMinute(ends)}`]: requests } };
  const noted = await monthsIn(db).findOneAndUpdate({ _id }, more, { returnDocument: 'after' });
  if (noted) return dropOldMinutes(db, _id, noted.minutes, ends);
  await make(db, account, month, { since: 0 });
  await monthsIn(db).updateOne({ _id }, more);
};

/** The latest position of the log that a count goes by. */
export const builtTo = async (db: Database): Promise<number> => (await monthsIn(db).findOne({}, { sort: { through: -1 } }))?.through ?? 0;

/** Throws away what all months were counted from the log; minutes stay. */
export const forgetCounts = async (db: Database): Promise<void> => void (await monthsIn(db).updateMany({}, { $set: uncounted, $unset: { asked: true } }));

/** Removes the minutes that no clock will come back to. */
export const dropOldMinutes = async (db: Database, _id: string, minutes: Month['minutes'], ends: number): Promise<void> => {
  const old = Object.keys(minutes).filter((field) => endOfMinute(field) < ends - minutesKeptMs);
  if (old.length > 0) await monthsIn(db).updateOne({ _id }, { $unset: Object.fromEntries(old.map((field) => [`minutes.${field}`, true as const])) });
};

/** The open renders among these, each with the month that it is noted in. */
const openAmong = async (db: Database, ids: readonly string[]): Promise<{ _id: string; open: OpenRender[] }[]> => {
  const wanted = new Set(ids);
  const months = await monthsIn(db).find({ 'open.id': { $in: [...wanted] } }).toArray();
  return months.map(({ _id, open }) => ({ _id, open: open.filter(({ id }) => wanted.has(id)) }));
};

/** Renders that are in the log are open no more. */
export const closeRenders = async (db: Database, ids: readonly string[]): Promise<void> => {
  for (const { _id, open } of await openAmong(db, ids)) await monthsIn(db).updateOne({ _id }, { $pullAll: { open } });
};

/** Takes back a render that is still open. */
export const forgo = async (db: Database, renderId: string): Promise<void> => {
  for (const { _id, open } of await openAmong(db, [renderId])) {
    const whileOpen = { _id, 'open.id': renderId };
    const counted = await monthsIn(db).updateOne({ ...whileOpen, used: { $gt: 0 } }, { $pullAll: { open }, $inc: { used: -1 } });
    if (counted.matchedCount === 0) await monthsIn(db).updateOne(whileOpen, { $pullAll: { open } });
  }
};
