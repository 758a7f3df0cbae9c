import type { KeyState } from '#contracts/http/keys.ts';
import { accountIdOf, bareId, apiKeyIdOf, readModels } from '#contracts/names.ts';
import type { ConfirmNotFound } from '#application/command-handling/confirm-not-found.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import {
  keyRenders,
  type KeyRendersDocument,
  apiKeyUsageCollection,
  type ApiKeyUsageDocument,
} from '#libs/projections/key-renders.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import { type ReadCache, openReadCache } from '#libs/concurrency/read-cache.ts';
import type { Query, ReadStore } from '#libs/read-store/port.ts';
import { scanPage } from '#libs/read-store/scan-page.ts';

/**
 * The usage of a key: requests of any kind, requested renders, how they ended, and those that count toward the quota.
 */
type KeyCounts = { requests: number; renders: number; succeeded: number; failed: number; quota: number };
/** `lastUsedAt` is null before the first request. */
type KeyStatistics = { lastUsedAt: string | null; period: KeyCounts; total: KeyCounts };

const noCounts: KeyCounts = { requests: 0, renders: 0, succeeded: 0, failed: 0, quota: 0 };
const maxDocumentsPerQuery = 5_000;

const latest = (times: readonly string[]): string | null => times.toSorted().at(-1) ?? null;
type StoredCounts = Pick<KeyRendersDocument, 'renders' | 'succeeded' | 'failed' | 'quotaUsed'> &
  Pick<ApiKeyUsageDocument, 'requests'>;

const sum = (all: readonly Partial<StoredCounts>[]): KeyCounts =>
  all.reduce<KeyCounts>(
    (one, { requests = 0, renders = 0, succeeded = 0, failed = 0, quotaUsed = 0 }) => ({
      requests: one.requests + requests,
      renders: one.renders + renders,
      succeeded: one.succeeded + succeeded,
      failed: one.failed + failed,
      quota: one.quota + quotaUsed,
    }),
    noCounts,
  );

const nextMonth = (month: string): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)))).toISOString().slice(0, 7);

/** The months (`YYYY-MM`) from one to another, at most 100 years. */
const monthsBetween = (first: string, last: string): string[] => {
  const months: string[] = [];
  for (let month = first; month <= last && months.length < 1_200; month = nextMonth(month)) months.push(month);
  return months;
};

const readAll = async (reads: ReadStore, collection: string, ids: readonly string[]) => {
  const found = [];
  for (let start = 0; start < ids.length; start += maxDocumentsPerQuery)
    found.push(...(await reads.getMany(collection, ids.slice(start, start + maxDocumentsPerQuery))));
  return found;
};

/**
 * The usage of keys by bare id, without unused keys. `period` is a month (`YYYY-MM`, UTC). Renders are counted from the
 * event log; other requests are counted by the service and stored about a second later.
 */
const keyStatistics = async (
  reads: ReadStore,
  keys: readonly ApiKeyDocument[],
  period: string,
  now: Date,
): Promise<Map<string, KeyStatistics>> => {
  const currentMonth = now.toISOString().slice(0, 7);
  const ids = keys.flatMap(({ id, issuedAt }) => {
    const firstMonth = issuedAt.slice(0, 7);
    // The clock may have been set back since the key was issued.
    const lastMonth = currentMonth < firstMonth ? firstMonth : currentMonth;
    return monthsBetween(firstMonth, lastMonth).map((month) => `${id}/${month}`);
  });
  const [renders, uses] = await Promise.all([
    readAll(reads, keyRenders.name, ids),
    readAll(reads, apiKeyUsageCollection.name, ids),
  ]);
  const documents = [...(renders as KeyRendersDocument[]), ...(uses as ApiKeyUsageDocument[])];
  const byKey = Map.groupBy(documents, ({ keyId }) => keyId);
  return new Map(
    [...byKey].map(([keyId, own]) => [
      keyId,
      {
        lastUsedAt: latest(own.map((one) => ('lastRequestAt' in one ? one.lastRequestAt : one.lastRenderAt))),
        period: sum(own.filter(({ month }) => month === period)),
        total: sum(own),
      },
    ]),
  );
};

const keyStateOf = ({ revokedAt, expiresAt }: ApiKeyDocument, now: Date): KeyState =>
  revokedAt ? 'revoked' : expiresAt && expiresAt <= now.toISOString() ? 'expired' : 'active';

/** A key without its secret. */
const keyView = (key: ApiKeyDocument, period: string, statistics: KeyStatistics | undefined, now: Date) => ({
  id: apiKeyIdOf(key.id),
  prefix: key.prefix,
  name: key.name,
  type: key.keyType,
  state: keyStateOf(key, now),
  created_at: key.issuedAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  permissions: key.permissions,
  last_used_at: statistics?.lastUsedAt ?? null,
  period: { month: period, ...(statistics?.period ?? noCounts) },
  total: statistics?.total ?? noCounts,
});

export type KeyView = ReturnType<typeof keyView>;

/** Keys with their total usage and that in `period` (`YYYY-MM`), in this order. */
export const keyViews = async (
  reads: ReadStore,
  keys: readonly ApiKeyDocument[],
  period: string,
  now: Date,
): Promise<KeyView[]> => {
  const statistics = await keyStatistics(reads, keys, period, now);
  return keys.map((key) => keyView(key, period, statistics.get(key.id), now));
};

/** All keys of an account, or of all accounts if it is null, with `account`; at most 10,000, oldest first. */
export const listKeys = async (
  reads: ReadStore,
  accountId: string | null,
  period: string,
  now: Date,
): Promise<(KeyView & { account: string })[]> => {
  const where: Query['where'] = accountId === null ? {} : { accountId };
  const query = { where, sort: { by: 'id', descending: false }, limit: 10_000 };
  const keys = (await reads.find(readModels.apiKeys, query)) as ApiKeyDocument[];
  const views = await keyViews(reads, keys, period, now);
  return views.map((view, index) => ({ ...view, account: accountIdOf(keys[index]!.accountId) }));
};

/** `before` is the bare id of the last key of the page before. */
export type KeyPageQuery = {
  state?: KeyState | undefined;
  type?: 'live' | 'test' | undefined;
  before?: string | undefined;
  limit: number;
};

/**
 * A page of an account's keys, newest first. `next` is the bare id after which the next page begins; null on the last
 * page. At most 2,000 keys are read, so a page can have fewer keys than `limit` although `next` is not null.
 */
export const findKeyPage = async (
  reads: ReadStore,
  accountId: string,
  { state, type, before, limit }: KeyPageQuery,
  now: Date,
): Promise<{ keys: ApiKeyDocument[]; next: string | null }> => {
  const where = { accountId, ...(state === undefined ? {} : { isRevoked: state === 'revoked' }) };
  const matches = (key: ApiKeyDocument): boolean =>
    (type === undefined || key.keyType === type) && (state === undefined || keyStateOf(key, now) === state);
  const scan = { where, before, limit };
  const { documents, next } = await scanPage<ApiKeyDocument>(reads, readModels.apiKeys, scan, matches);
  return { keys: documents, next };
};

/** Whether an account has at least `limit` keys that are neither revoked nor expired. */
export const hasManyKeys = async (reads: ReadStore, accountId: string, limit: number, now: Date): Promise<boolean> => {
  const where = { accountId, isRevoked: false };
  if ((await reads.count(readModels.apiKeys, where)) < limit) return false;
  const withoutEnd = await reads.count(readModels.apiKeys, { ...where, expiresAt: null });
  const range = { by: 'expiresAt', from: now.toISOString() };
  const temporary = await reads.find(readModels.apiKeys, { where, range, limit });
  return withoutEnd + temporary.length >= limit;
};

/** A key by its `key_<id>`; null if there is none. */
export const findKey = async (reads: ReadStore, prefixed: string): Promise<ApiKeyDocument | null> => {
  const id = bareId('key', prefixed);
  return id ? ((await reads.get(readModels.apiKeys, id)) as ApiKeyDocument | null) : null;
};

/** The key of a request, valid or not, and its account. */
export type KeyWithAccount = { key: ApiKeyDocument; account: AccountDocument };

/** Keys and their accounts by the hash of the secret. */
export type KeyCache = ReadCache<KeyWithAccount>;

/** Keys and accounts from the read models, cached for `cacheMs` milliseconds. */
export const openKeyCache = (
  reads: Pick<ReadStore, 'find' | 'get'>,
  cacheMs: number,
  confirmNotFound: ConfirmNotFound,
): KeyCache => {
  const read = async (hash: string): Promise<KeyWithAccount | null> => {
    const [key] = (await reads.find(readModels.apiKeys, { where: { hash }, limit: 1 })) as ApiKeyDocument[];
    const account = key ? ((await reads.get(readModels.accounts, key.accountId)) as AccountDocument | null) : null;
    return key && account ? { key, account } : null;
  };
  return openReadCache(confirmNotFound(read), cacheMs);
};
