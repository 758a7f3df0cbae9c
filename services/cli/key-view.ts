import { permissions } from '#contracts/events/account.ts';
import { keyIdOf } from '#contracts/names.ts';
import type { KeyFigures, KeyStatistics } from '#application/api-keys/statistics.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';

const unused: KeyFigures = { requests: 0, renders: 0, succeeded: 0, failed: 0, quota: 0 };

const stateOf = ({ revokedAt, expiresAt }: ApiKeyDocument, now: Date): 'revoked' | 'expired' | 'active' =>
  revokedAt ? 'revoked' : expiresAt && expiresAt <= now.toISOString() ? 'expired' : 'active';

/** Everything that is known of a key but the key itself, for `--json`. `period` is a month, `YYYY-MM`. */
export const keyDetails = (key: ApiKeyDocument, period: string, statistics: KeyStatistics | undefined, now: Date) => ({
  id: keyIdOf(key.id),
  prefix: key.prefix,
  name: key.name,
  type: key.keyType,
  state: stateOf(key, now),
  issued_at: key.issuedAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  permissions: key.permissions,
  last_used_at: statistics?.lastUsedAt ?? null,
  period: { month: period, ...(statistics?.period ?? unused) },
  total: statistics?.total ?? unused,
});

const toMinute = (time: string | null): string | null => time && `${time.slice(0, 10)} ${time.slice(11, 16)}`;

/** The same for people, in a row. */
export const keyRow = ({ id, prefix, name, type, state, permissions: some, last_used_at: lastUsed, expires_at: expires, period }: ReturnType<typeof keyDetails>) => ({
  id,
  key: `${prefix}...`,
  name,
  type,
  state: state === 'active' && expires ? `until ${toMinute(expires)}` : state,
  may: some.length === permissions.length ? 'all' : some.join(','),
  'last used': toMinute(lastUsed),
  requests: period.requests,
  renders: period.renders,
  succeeded: period.succeeded,
  failed: period.failed,
  quota: period.quota,
});
