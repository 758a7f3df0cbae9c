import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type WebhookSecretResponse, webhookSecretResponse } from '#contracts/http/webhook.ts';
import type { Permission } from '#contracts/events/account.ts';
import type { Role } from '#contracts/roles.ts';
import { streams } from '#contracts/names.ts';
import { issueToken, openBrowser } from '../support/people/browser.ts';
import { type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';

const hourMs = 60 * 60 * 1000;

let api: InProcessApi;
beforeAll(async () => void (api = await openInProcessApi('2026-05-20T12:00:30.000Z')));
afterAll(() => api.closeAndRemove());

const openAccount = async () => {
  const id = await api.createAccount();
  const { secret: key } = await api.createKey(id);
  const request = async (method: string, path: string): Promise<WebhookSecretResponse> => {
    const { status, headers, body } = await api.request(key, method, path);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    return webhookSecretResponse.parse(body);
  };
  return {
    id,
    key,
    read: () => request('GET', '/api/v1/webhook-secret'),
    rotate: () => request('POST', '/api/v1/webhook-secret/rotate'),
  };
};

const advanceClock = (ms: number): void => void (api.clock.now = new Date(api.clock.now.getTime() + ms));
const inHours = (hours: number): string => new Date(api.clock.now.getTime() + hours * hourMs).toISOString();

describe('The webhook secret', () => {
  it('is the same at every request, and differs between accounts', async () => {
    const [one, other] = [await openAccount(), await openAccount()];
    const first = await one.read();
    expect(first).toEqual({
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: api.clock.now.toISOString(),
      previous: [],
    });
    expect(await one.read()).toEqual(first);
    expect((await other.read()).secret).not.toBe(first.secret);
  });

  it('is shown with the old one and its end for 24 hours after a rotation, to the millisecond', async () => {
    const { read, rotate } = await openAccount();
    const first = await read();
    const second = await rotate();
    expect(second.secret).not.toBe(first.secret);
    expect(second).toEqual({
      secret: expect.any(String),
      created_at: api.clock.now.toISOString(),
      previous: [{ secret: first.secret, valid_until: inHours(24) }],
    });
    advanceClock(24 * hourMs - 1);
    expect(await read()).toEqual(second);
    advanceClock(1);
    expect(await read()).toEqual({ ...second, previous: [] });
  });

  it('is in the response to its rotation, also if the read models are late', async () => {
    const { read, rotate } = await openAccount();
    const late = vi.spyOn(api.engines.reads, 'waitForCheckpoint').mockResolvedValue(false);
    const rotated = await rotate();
    late.mockRestore();
    expect(await read()).toEqual(rotated);
  });

  it('keeps the end of each old one when it is rotated again, and cannot be rotated a fifth time in 24 hours', async () => {
    const { key, read, rotate } = await openAccount();
    const secrets = [(await read()).secret];
    const ends: string[] = [];
    for (let rotation = 1; rotation <= 4; rotation += 1) {
      ends.unshift(inHours(24));
      const { secret, previous } = await rotate();
      expect(previous).toEqual(secrets.map((old, index) => ({ secret: old, valid_until: ends[index] })));
      secrets.unshift(secret);
      advanceClock(hourMs);
    }
    const before = await read();
    const refused = await api.request(key, 'POST', '/api/v1/webhook-secret/rotate');
    expect([refused.status, refused.body]).toEqual([
      429,
      expect.objectContaining({ error: 'rate_limit_exceeded', limit: 4, retry_after: 20 * 3600, reset_at: ends[3] }),
    ]);
    expect(await read()).toEqual(before);
    advanceClock(20 * hourMs);
    expect((await rotate()).previous).toHaveLength(4);
  });

  it('is rotated by requests at the same moment as by one after the other', async () => {
    const { key } = await openAccount();
    const rotations = Array.from({ length: 8 }, () => api.request(key, 'POST', '/api/v1/webhook-secret/rotate'));
    const statuses = (await Promise.all(rotations)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
  });

  it('needs a permission of its own to be read, and another one to be rotated', async () => {
    const { id } = await openAccount();
    const statusOf = async (method: string, path: string, ...permissions: Permission[]) =>
      (await api.request((await api.createKey(id, { permissions })).secret, method, path)).status;
    expect(await statusOf('GET', '/api/v1/webhook-secret', 'webhook_secret:read')).toBe(200);
    expect(await statusOf('GET', '/api/v1/webhook-secret', 'webhook_secret:write', 'jobs:read')).toBe(403);
    expect(await statusOf('POST', '/api/v1/webhook-secret/rotate', 'webhook_secret:read')).toBe(403);
    expect(await statusOf('POST', '/api/v1/webhook-secret/rotate', 'webhook_secret:write')).toBe(200);
  });

  it('is neither shown to a viewer nor replaced by one; a developer may do both', async () => {
    const { id } = await openAccount();
    const outcomes = async (role: Role) => {
      const browser = openBrowser(api.app);
      const token = await issueToken(api.eventLog, { email: `${role}@example.com`, accountId: id, role });
      expect((await browser.signIn(token)).status).toBe(201);
      await api.catchUpReadModels();
      const request = async (method: string, path: string, body?: unknown) =>
        (await browser.request(method, `/api/v1/${path}`, { body, account: id })).status;
      return [
        await request('GET', 'webhook-secret'),
        await request('POST', 'webhook-secret/rotate'),
        await request('POST', 'webhooks/test', { url: 'https://one.example/' }),
        await request('POST', 'deliveries/redeliver', { failed_since: '2026-01-01' }),
        await request('GET', 'deliveries'),
      ];
    };
    expect(await outcomes('viewer')).toEqual([403, 403, 403, 403, 200]);
    for (const role of ['developer', 'owner'] as const) expect(await outcomes(role)).toEqual([200, 200, 200, 200, 200]);
  });

  it('is in no event', async () => {
    const { id, read, rotate } = await openAccount();
    const { secret } = await read();
    const rotated = await rotate();
    const events = JSON.stringify(await api.engines.store.read(streams.account(id)));
    expect(events).toContain('WebhookSecretRotated');
    for (const hidden of [secret, rotated.secret]) expect(events).not.toContain(hidden.slice('whsec_'.length));
  });
});
