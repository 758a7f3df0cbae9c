import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountResponse, accountEventsResponse } from '#contracts/http/account.ts';
import { accountIdOf, apiKeyIdOf, streams } from '#contracts/names.ts';
import { apiKey } from '#libs/domain/api-key.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { hashSecret } from '#application/api-keys/secret.ts';
import { type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
beforeAll(async () => void (api = await openInProcessApi('2026-05-20T12:00:30.000Z')));
afterAll(() => api.closeAndRemove());

const revoke = async (id: string, accountId: string) => {
  const { aggregate } = await loadAggregate(api.eventLog, apiKey, streams.apiKey(id));
  const cause = {
    actor: { kind: 'person', name: 'Ada' } as const,
    accountId,
    correlationId: 'c',
    causationId: null,
    traceparent: null,
  };
  await aggregate.execute({ type: 'revoke', reason: 'lost' }, cause);
  await api.catchUpReadModels();
};

describe('An account', () => {
  it('can read its plan, its limits and its state', async () => {
    const id = await api.createAccount('pro', { maxPdfMb: 40 });
    const { secret } = await api.createKey(id);
    const { status, body } = await api.request(secret, 'GET', '/api/v1/account');
    expect(status).toBe(200);
    expect(accountResponse.parse(body)).toMatchObject({
      id: accountIdOf(id),
      name: 'tests',
      plan: 'pro',
      state: 'active',
      opened_at: '2026-05-20T12:00:30.000Z',
      limits: {
        requests_per_minute: 60,
        requests_per_month: 10_000,
        max_pdf_mb: 40,
        max_payload_mb: 10,
        processing_timeout_seconds: 30,
        javascript_timeout_seconds: 5,
        max_templates: 100,
      },
    });
  });

  it('on enterprise has null for unlimited', async () => {
    const { secret } = await api.createKey(await api.createAccount('enterprise', {}));
    const { body } = await api.request(secret, 'GET', '/api/v1/account');
    expect(accountResponse.parse(body).limits).toEqual({
      requests_per_minute: null,
      requests_per_month: null,
      max_pdf_mb: null,
      max_payload_mb: 50,
      processing_timeout_seconds: 60,
      javascript_timeout_seconds: 10,
      max_pages: null,
      max_external_images: null,
      max_templates: null,
      max_template_mb: 5,
      max_variables: null,
      kept_versions: null,
    });
  });

  it('changes plan, is suspended and is reinstated from the next request on', async () => {
    const id = await api.createAccount('free', {});
    const { secret } = await api.createKey(id);
    await api.updateAccount(id, {
      type: 'changePlan',
      plan: 'enterprise',
      overrides: { requestsPerMinute: 600 },
      reason: 'contract',
    });
    const { headers, body } = await api.request(secret, 'GET', '/api/v1/account');
    expect([headers['x-ratelimit-limit'], body.plan]).toEqual(['600', 'enterprise']);
    await api.updateAccount(id, { type: 'suspend', reason: 'unpaid' });
    const { status, body: refusal } = await api.request(secret, 'GET', '/api/v1/account');
    expect([status, refusal]).toEqual([
      403,
      expect.objectContaining({
        error: 'account_suspended',
        reason: 'unpaid',
        suspended_at: '2026-05-20T12:00:30.000Z',
      }),
    ]);
    await api.updateAccount(id, { type: 'reinstate', reason: null });
    expect((await api.request(secret, 'GET', '/api/v1/account')).status).toBe(200);
  });
});

describe('The history of an account', () => {
  it('has all changes of the account and its keys, newest first, with reason and actor', async () => {
    const id = await api.createAccount('free');
    const { secret } = await api.createKey(id);
    const other = await api.createKey(id, {
      name: 'shop',
      permissions: ['render:create'],
      expiresAt: '2030-01-01T00:00:00.000Z',
    });
    await revoke(other.id, id);
    await api.updateAccount(id, { type: 'changePlan', plan: 'pro', overrides: {}, reason: 'grown' });
    await api.updateAccount(id, { type: 'suspend', reason: 'unpaid' });
    await api.updateAccount(id, { type: 'reinstate', reason: 'paid' });
    const { body } = await api.request(secret, 'GET', '/api/v1/account/events');
    const { events, ...page } = accountEventsResponse.parse(body);
    expect(page).toEqual({ account_id: accountIdOf(id), total: 7, page: 1, limit: 20, pages: 1 });
    expect(events.map(({ type, subject, data }) => [type, subject, data])).toEqual([
      ['AccountReinstated', accountIdOf(id), { reason: 'paid' }],
      ['AccountSuspended', accountIdOf(id), { reason: 'unpaid' }],
      ['PlanChanged', accountIdOf(id), { plan: 'pro', overrides: {}, reason: 'grown' }],
      ['ApiKeyRevoked', apiKeyIdOf(other.id), { reason: 'lost' }],
      [
        'ApiKeyIssued',
        apiKeyIdOf(other.id),
        {
          name: 'shop',
          key_type: 'live',
          prefix: other.prefix,
          permissions: ['render:create'],
          expires_at: '2030-01-01T00:00:00.000Z',
        },
      ],
      ['ApiKeyIssued', expect.any(String), expect.objectContaining({ name: 'tests', expires_at: null })],
      ['AccountOpened', accountIdOf(id), { name: 'tests', plan: 'free', overrides: { requests_per_minute: 100_000 } }],
    ]);
    expect(events[3]).toMatchObject({
      actor: { kind: 'person', name: 'Ada' },
      time: '2026-05-20T12:00:30.000Z',
      request_id: 'c',
      trace_id: null,
    });
  });

  it('shows no key, no secret and no hash', async () => {
    const id = await api.createAccount('free');
    const { secret } = await api.createKey(id);
    await api.updateAccount(id, { type: 'rotateWebhookSecret', now: api.clock.now });
    const { body } = await api.request(secret, 'GET', '/api/v1/account/events');
    const text = JSON.stringify(body);
    expect(text).toContain('WebhookSecretRotated');
    for (const hidden of [secret, hashSecret(secret), 'hash', 'generation']) expect(text).not.toContain(hidden);
  });

  it('is paginated', async () => {
    const id = await api.createAccount('free');
    const { secret } = await api.createKey(id);
    for (let number = 0; number < 4; number += 1) await api.createKey(id, { name: `key ${number}` });
    const page = async (query: string) =>
      accountEventsResponse.parse((await api.request(secret, 'GET', `/api/v1/account/events${query}`)).body);
    const all = (await page('')).events.map((event) => event.id);
    const pages = await Promise.all([1, 2, 3, 4].map((number) => page(`?limit=2&page=${number}`)));
    expect(pages.map(({ events }) => events.length)).toEqual([2, 2, 2, 0]);
    expect(pages.flatMap(({ events }) => events.map((event) => event.id))).toEqual(all);
    for (const query of ['?limit=0', '?limit=101', '?page=0', '?page=x', '?sort=x'])
      expect((await api.request(secret, 'GET', `/api/v1/account/events${query}`)).status).toBe(400);
  });
});
