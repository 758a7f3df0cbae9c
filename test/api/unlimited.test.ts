import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
beforeAll(async () => void (api = await openInProcessApi('2026-05-20T12:00:30.000Z')));
afterAll(() => api.closeAndRemove());

const render = (secret: string) => api.request(secret, 'POST', '/api/v1/render', htmlRequest);
const left = ({ headers }: { headers: Record<string, unknown> }) => Number(headers['x-quota-remaining']);

describe('An account without limits', () => {
  const limited = (requestsPerMonth: number) =>
    ({
      type: 'changePlan',
      plan: 'free',
      overrides: { requestsPerMonth, requestsPerMinute: 1_000 },
      reason: null,
    }) as const;
  const unlimited = { type: 'changePlan', plan: 'enterprise', overrides: {}, reason: null } as const;

  it('counts from the event log each time it gets a limit', async () => {
    const account = await api.createAccount('enterprise', {});
    const { secret } = await api.createKey(account);
    const renders = async (count: number): Promise<void> => {
      for (let number = 0; number < count; number += 1) expect((await render(secret)).status).toBe(200);
    };
    for (const [without, limit, room] of [
      [2, 3, 1],
      [2, 6, 1],
    ] as const) {
      await renders(without);
      await api.updateAccount(account, limited(limit));
      expect(left(await api.request(secret, 'GET', '/api/v1/account'))).toBe(room);
      await renders(room);
      expect((await render(secret)).body).toMatchObject({
        error: 'quota_exceeded',
        quota_limit: limit,
        quota_used: limit,
      });
      await api.updateAccount(account, unlimited);
    }
    // A change from one limit to another keeps the count.
    await api.updateAccount(account, limited(7));
    await renders(1);
    await api.updateAccount(account, limited(8));
    await renders(1);
    expect((await render(secret)).body).toMatchObject({ error: 'quota_exceeded', quota_used: 8 });
  });

  it.each([
    ['of the minute', { requestsPerMinute: 3 }, ['3', undefined]],
    ['of the month', { requestsPerMonth: 3 }, [undefined, '3']],
  ] as const)('with one limit %s has that limit only', async (_, overrides, shown) => {
    const { secret } = await api.createKey(await api.createAccount('enterprise', overrides));
    const responses = [];
    for (let number = 0; number < 4; number += 1) responses.push(await render(secret));
    expect(responses.map(({ status }) => status)).toEqual([
      200,
      200,
      200,
      'requestsPerMinute' in overrides ? 429 : 403,
    ]);
    const { headers } = responses[0]!;
    expect([headers['x-ratelimit-limit'], headers['x-quota-limit']]).toEqual(shown);
  });

  it('still sees its number of requests', async () => {
    const { secret } = await api.createKey(await api.createAccount('enterprise', {}));
    await Promise.all(Array.from({ length: 5 }, () => render(secret)));
    const { rate_limit: minute } = (await api.request(secret, 'GET', '/api/v1/usage')).body as unknown as {
      rate_limit: unknown;
    };
    expect(minute).toEqual({ per_minute: null, current_usage: 6 });
  });
});
