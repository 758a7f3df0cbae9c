import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissions } from '#contracts/events/account.ts';
import { createdKeyResponse, keyListResponse, keyResponse, maxKeysPerAccount } from '#contracts/http/keys.ts';
import { apiKeyIdOf } from '#contracts/names.ts';
import { hashSecret } from '#application/api-keys/secret.ts';
import { issueKey } from '#application/api-keys/commands.ts';
import { cacheMs } from '#libs/concurrency/read-cache.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';

const start = '2026-05-20T12:00:30.000Z';
let api: InProcessApi;
let account: string;
let owner: string;
beforeAll(async () => {
  api = await openInProcessApi(start, { callersKnownForMs: cacheMs });
  account = await api.createAccount('pro');
  owner = (await api.createKey(account, { name: 'owner' })).secret;
});
afterAll(() => api.closeAndRemove());

const create = async (body: object, secret = owner) => api.request(secret, 'POST', '/api/v1/keys', body);
const created = async (body: object, secret = owner) => {
  const response = await create(body, secret);
  expect(response.status).toBe(201);
  return createdKeyResponse.parse(response.body);
};
const listed = async (query = '', secret = owner) => {
  const { status, body } = await api.request(secret, 'GET', `/api/v1/keys${query}`);
  expect(status).toBe(200);
  return keyListResponse.parse(body);
};

describe('POST /keys', () => {
  it('creates a key that works at once, and shows it only in this response', async () => {
    const { status, headers, body } = await create({
      name: '  web shop ',
      type: 'live',
      permissions: ['render:create', 'keys:read', 'render:create'],
      expires_at: '2026-06-01T02:00:00+02:00',
    });
    expect([status, headers['cache-control']]).toEqual([201, 'no-store']);
    const key = createdKeyResponse.parse(body);
    expect(headers['location']).toBe(`/api/v1/keys/${key.id}`);
    expect(key).toMatchObject({
      name: 'web shop',
      type: 'live',
      state: 'active',
      created_at: start,
      created_by: { kind: 'key', name: 'owner' },
      expires_at: '2026-06-01T00:00:00.000Z',
      permissions: ['render:create', 'keys:read'],
      last_used_at: null,
    });
    expect(key.key!.startsWith(key.prefix)).toBe(true);
    expect((await listed('', key.key!)).keys.map(({ id }) => id)).toContain(key.id);
    const shown = JSON.stringify([
      await listed(),
      (await api.request(owner, 'GET', `/api/v1/keys/${key.id}`)).body,
      (await api.request(owner, 'GET', '/api/v1/account/events')).body,
    ]);
    for (const hidden of [key.key!, hashSecret(key.key!)]) expect(shown).not.toContain(hidden);
    const events = JSON.stringify(await api.eventLog.store.read(`apiKey-${key.id.slice('key_'.length)}`));
    expect(events).toContain('web shop');
    expect(events).not.toContain(key.key);
  });

  it('gives a key without a list the permissions that documents need', async () => {
    const { permissions: granted } = await created({ name: 'plain', type: 'test' });
    expect(granted).toHaveLength(6);
    expect(granted).not.toContain('keys:write');
  });

  it('grants only permissions that the caller has', async () => {
    const { secret } = await api.createKey(account, { permissions: ['keys:write', 'jobs:read'] });
    expect((await create({ name: 'a', type: 'live', permissions: ['jobs:read'] }, secret)).status).toBe(201);
    const { status, body } = await create(
      { name: 'b', type: 'live', permissions: ['jobs:read', 'usage:read'] },
      secret,
    );
    expect([status, body]).toEqual([
      403,
      expect.objectContaining({
        error: 'insufficient_permissions',
        required_permission: 'usage:read',
        message: expect.stringContaining('in the field permissions'),
      }),
    ]);
    expect((await create({ name: 'c', type: 'live' }, secret)).status).toBe(403);
  });

  it('creates no live key for a test key', async () => {
    const { secret } = await api.createKey(account, { keyType: 'test' });
    expect((await create({ name: 'a', type: 'live' }, secret)).body).toMatchObject({
      error: 'invalid_request',
      field: 'type',
    });
    expect((await create({ name: 'a', type: 'test' }, secret)).status).toBe(201);
  });

  it.each([
    ['name', { type: 'live' }],
    ['name', { name: '  ', type: 'live' }],
    ['name', { name: 'two\nlines', type: 'live' }],
    ['name', { name: 'n'.repeat(101), type: 'live' }],
    ['type', { name: 'a', type: 'gold' }],
    ['permissions[0]', { name: 'a', type: 'live', permissions: ['everything'] }],
    ['expires_at', { name: 'a', type: 'live', expires_at: start }],
    ['expires_at', { name: 'a', type: 'live', expires_at: 'tomorrow' }],
    ['expires_at', { name: 'a', type: 'live', expires_at: '9999-12-31T23:59:59-05:00' }],
  ])('rejects a wrong %s: %j', async (field, body) => {
    expect((await create(body)).body).toMatchObject({ error: 'invalid_request', field });
  });

  it('creates one key for each Idempotency-Key, and does not show it again', async () => {
    const send = async (name: string) =>
      api.app.inject({
        method: 'POST',
        url: '/api/v1/keys',
        headers: { authorization: `Bearer ${owner}`, 'idempotency-key': 'once' },
        payload: { name, type: 'test' },
      });
    const [first, second, other] = [await send('once'), await send('once'), await send('other')];
    const key = createdKeyResponse.parse(first.json());
    expect(second.statusCode).toBe(201);
    expect(second.headers).toMatchObject({ 'idempotency-replayed': 'true', 'cache-control': 'no-store' });
    expect(createdKeyResponse.parse(second.json())).toEqual({ ...key, key: null });
    expect(other.statusCode).toBe(409);
    expect((await listed('?limit=100')).keys.filter(({ name }) => name === 'once')).toHaveLength(1);
  });

  it('creates as many keys as an account may have in use', async () => {
    const full = await api.createAccount('pro');
    const { secret } = await api.createKey(full);
    const issue = (expiresAt: string | null) =>
      issueKey(
        api.eventLog,
        { kind: 'person', name: 'tests' },
        { accountId: full, name: 'many', keyType: 'test', permissions: [], expiresAt },
      );
    const count = maxKeysPerAccount - 2;
    const issued = await Promise.all(
      Array.from({ length: count }, (_, n) => issue(n % 2 ? '2030-01-01T00:00:00.000Z' : null)),
    );
    // Expired keys do not count.
    await issue('2026-05-20T12:00:00.000Z');
    await api.catchUpReadModels();
    expect((await create({ name: 'last', type: 'test' }, secret)).status).toBe(201);
    const { status, body } = await create({ name: 'too many', type: 'test' }, secret);
    expect([status, body]).toEqual([
      403,
      expect.objectContaining({ error: 'key_limit_exceeded', limit: maxKeysPerAccount }),
    ]);
    expect((await api.request(secret, 'DELETE', `/api/v1/keys/${apiKeyIdOf(issued[0]!.id)}`)).status).toBe(200);
    expect((await create({ name: 'again', type: 'test' }, secret)).status).toBe(201);
  });
});

describe('GET /keys', () => {
  it('has the usage of each key in a month, and its part of the quota', async () => {
    const mine = await api.createAccount('pro', { requestsPerMinute: 1_000, requestsPerMonth: 100 });
    const reader = await api.createKey(mine);
    const shop = await api.createKey(mine, { name: 'shop' });
    api.clock.now = new Date('2026-04-30T10:00:00.000Z');
    await api.request(shop.secret, 'POST', '/api/v1/render', htmlRequest);
    api.clock.now = new Date(start);
    for (let number = 0; number < 3; number += 1) await api.request(shop.secret, 'POST', '/api/v1/render', htmlRequest);
    await api.keyUses.flush();
    await api.catchUpReadModels();
    const find = async (query: string) =>
      (await listed(query, reader.secret)).keys.find(({ id }) => id === apiKeyIdOf(shop.id))!;
    const now = await find('');
    expect(now.period).toEqual({
      month: '2026-05',
      requests: 3,
      renders: 3,
      succeeded: 0,
      failed: 0,
      quota: 3,
      quota_share: 0.03,
    });
    expect(now.last_used_at).toBe(start);
    expect((await find('?period=2020-01')).period).toMatchObject({ month: '2020-01', renders: 0, quota_share: 0 });
    const one = await api.request(reader.secret, 'GET', `/api/v1/keys/${apiKeyIdOf(shop.id)}?period=2026-05`);
    expect(keyResponse.parse(one.body)).toEqual(now);
  });

  it('filters by state and type, and pages from the newest to the oldest', async () => {
    const mine = await api.createAccount('pro');
    const createNewer = async (options: Parameters<InProcessApi['createKey']>[1] = {}) => {
      const key = await api.createKey(mine, options);
      // The ids of one millisecond have no order.
      const createdBy = Date.now();
      await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(createdBy);
      return key;
    };
    const [reader, ...issued] = [
      await createNewer(),
      await createNewer({ name: 'a', keyType: 'test' }),
      await createNewer({ name: 'b', expiresAt: '2026-05-20T12:00:30.000Z' }),
      await createNewer({ name: 'c', expiresAt: '2026-05-20T12:00:30.001Z' }),
      await createNewer({ name: 'd' }),
    ];
    await api.request(reader.secret, 'DELETE', `/api/v1/keys/${apiKeyIdOf(issued.at(-1)!.id)}`);
    const names = async (query: string) => (await listed(query, reader.secret)).keys.map(({ name }) => name);
    expect(await names('')).toEqual(['d', 'c', 'b', 'a', 'tests']);
    expect(await names('?state=active')).toEqual(['c', 'a', 'tests']);
    expect(await names('?state=expired')).toEqual(['b']);
    expect(await names('?state=revoked')).toEqual(['d']);
    expect(await names('?type=test')).toEqual(['a']);
    expect(await names('?state=revoked&type=test')).toEqual([]);
    const first = await listed('?limit=2&state=active', reader.secret);
    expect(first.keys.map(({ name }) => name)).toEqual(['c', 'a']);
    const rest = await listed(`?limit=2&state=active&cursor=${first.next_cursor}`, reader.secret);
    expect([rest.keys.map(({ name }) => name), rest.next_cursor]).toEqual([['tests'], null]);
    for (const query of ['?state=gone', '?cursor=x', '?limit=0', '?period=May'])
      expect((await api.request(owner, 'GET', `/api/v1/keys${query}`)).status).toBe(400);
  });
});

describe('DELETE /keys/{id}', () => {
  it('answers when no process accepts the key any more', async () => {
    const { id, secret } = await api.createKey(account, { name: 'lost' });
    expect((await api.request(secret, 'GET', '/api/v1/keys')).status).toBe(200);
    const path = `/api/v1/keys/${apiKeyIdOf(id)}`;
    const { status, body } = await api.request(owner, 'DELETE', `${path}?reason=lost%20laptop`);
    expect([status, keyResponse.parse(body)]).toEqual([
      200,
      expect.objectContaining({ state: 'revoked', revoked_at: start }),
    ]);
    expect((await api.request(secret, 'GET', '/api/v1/keys')).body).toMatchObject({ error: 'revoked_api_key' });
    const again = await api.request(owner, 'DELETE', path);
    expect([again.status, keyResponse.parse(again.body).state]).toEqual([200, 'revoked']);
    const history = await api.eventLog.store.read(`apiKey-${id}`);
    expect(history.map(({ type, data }) => [type, 'reason' in data && data.reason])).toEqual([
      ['ApiKeyIssued', false],
      ['ApiKeyRevoked', 'lost laptop'],
    ]);
  });

  it('can revoke the key of the request itself', async () => {
    const { id, secret } = await api.createKey(account, { permissions: [...permissions] });
    expect((await api.request(secret, 'DELETE', `/api/v1/keys/${apiKeyIdOf(id)}`)).status).toBe(200);
    expect((await api.request(secret, 'GET', '/api/v1/keys')).status).toBe(401);
  });

  it('finds only keys of the account', async () => {
    const other = await api.createKey(await api.createAccount());
    for (const id of [apiKeyIdOf(other.id), 'key_01K6ZC5B8Q4XJ0N9T2V7RWHE3M', 'x'])
      for (const method of ['GET', 'DELETE'])
        expect((await api.request(owner, method, `/api/v1/keys/${id}`)).body).toMatchObject({ error: 'key_not_found' });
    expect((await api.request(other.secret, 'GET', '/api/v1/account')).status).toBe(200);
  });
});
