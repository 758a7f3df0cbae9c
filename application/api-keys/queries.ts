import { bareId, apiKeyIdOf, readModels } from '#contracts/names.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import {
  keyRenders,
  type KeyRendersDocument,
  apiKeyUsageCollection,
  type ApiKeyUsageDocument,
} from '#libs/projections/key-renders.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import { type ReadCache, openReadCache } from '#libs/read-store/read-cache.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/**
 * The usage of a key: requests of any kind, requested renders, how they ended, and those that count toward the quota.
 */
type KeyCounts = { requests: number; renders: number; succeeded: number; failed: number; quota: number };
/** `lastUsedAt` is null before the first request. */
type KeyStatistics = { lastUsedAt: string | null; period: KeyCounts; total: KeyCounts };

const noCounts: KeyCounts = { requests: 0, renders: 0, succeeded: 0, failed: 0, quota: 0 };
const maxDocuments = 100_000;

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

/**
 * The usage of an account's keys by bare id, without unused keys. `period` is a month (`YYYY-MM`, UTC). Renders are
 * counted from the event log; other requests are counted by the service and stored about a second later.
 */
const keyStatistics = async (
  reads: ReadStore,
  accountId: string,
  period: string,
): Promise<Map<string, KeyStatistics>> => {
  const query = { where: { accountId }, limit: maxDocuments };
  const [renders, uses] = await Promise.all([
    reads.find(keyRenders.name, query),
    reads.find(apiKeyUsageCollection.name, query),
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

const keyStateOf = ({ revokedAt, expiresAt }: ApiKeyDocument, now: Date): 'revoked' | 'expired' | 'active' =>
  revokedAt ? 'revoked' : expiresAt && expiresAt <= now.toISOString() ? 'expired' : 'active';

/** A key without its secret. */
const keyView = (key: ApiKeyDocument, period: string, statistics: KeyStatistics | undefined, now: Date) => ({
  id: apiKeyIdOf(key.id),
  prefix: key.prefix,
  name: key.name,
  type: key.keyType,
  state: keyStateOf(key, now),
  issued_at: key.issuedAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  permissions: key.permissions,
  last_used_at: statistics?.lastUsedAt ?? null,
  period: { month: period, ...(statistics?.period ?? noCounts) },
  total: statistics?.total ?? noCounts,
});

export type KeyView = ReturnType<typeof keyView>;

/** An account's keys by issue time, with their total usage and that in `period` (`YYYY-MM`). */
export const listKeys = async (reads: ReadStore, accountId: string, period: string, now: Date): Promise<KeyView[]> => {
  const sort = { by: 'issuedAt', descending: false };
  const keys = (await reads.find(readModels.apiKeys, {
    where: { accountId },
    sort,
    limit: 10_000,
  })) as ApiKeyDocument[];
  const statistics = await keyStatistics(reads, accountId, period);
  return keys.map((key) => keyView(key, period, statistics.get(key.id), now));
};

/** A key by its `key_<id>`; null if there is none. */
export const findKey = async (reads: ReadStore, prefixed: string): Promise<ApiKeyDocument | null> => {
  const id = bareId('key', prefixed);
  return id ? ((await reads.get(readModels.apiKeys, id)) as ApiKeyDocument | null) : null;
};

/** The key of a request, valid or not, and its account. */
export type Caller = { key: ApiKeyDocument; account: AccountDocument };

/** Callers by the hash of their secret. */
export type CallerCache = ReadCache<Caller>;

/** Callers from the read models, cached for `cacheMs` milliseconds. */
export const openCallerCache = (reads: Pick<ReadStore, 'find' | 'get'>, cacheMs: number): CallerCache =>
  openReadCache(async (hash) => {
    const [key] = (await reads.find(readModels.apiKeys, { where: { hash }, limit: 1 })) as ApiKeyDocument[];
    const account = key ? ((await reads.get(readModels.accounts, key.accountId)) as AccountDocument | null) : null;
    return key && account ? { key, account } : null;
  }, cacheMs);
