import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, html, openApi } from './harness.ts';

let api: Api;
beforeAll(async () => void (api = await openApi('2026-05-20T12:00:30.000Z')));
afterAll(async () => {
  await api.close();
  await api.remove();
});

const render = (secret: string) => api.ask(secret, 'POST', '/api/v1/render', html);
const left = ({ headers }: { headers: Record<string, unknown> }) => Number(headers['x-quota-remaining']);

describe('An account without limits', () => {
  const limited = (requestsPerMonth: number) => ({ type: 'changePlan', plan: 'free', overrides: { requestsPerMonth, requestsPerMinute: 1_000 }, reason: null }) as const;
  const unlimited = { type: 'changePlan', plan: 'enterprise', overrides: {}, reason: null } as const;

  it('that comes to have some has had what the log says, each time anew', async () => {
    const account = await api.account('enterprise', {});
    const { secret } = await api.key(account);
    const renders = async (count: number): Promise<void> => {
      for (let number = 0; number < count; number += 1) expect((await render(secret)).status).toBe(200);
    };
    for (const [without, limit, room] of [[2, 3, 1], [2, 6, 1]] as const) {
      await renders(without);
      await api.change(account, limited(limit));
      expect(left(await api.ask(secret, 'GET', '/api/v1/account'))).toBe(room);
      await renders(room);
      expect((await render(secret)).body).toMatchObject({ error: 'quota_exceeded', quota_limit: limit, quota_used: limit });
      await api.change(account, unlimited);
    }
    // From one limit to another the count goes on.
    await api.change(account, limited(7));
    await renders(1);
    await api.change(account, limited(8));
    await renders(1);
    expect((await render(secret)).body).toMatchObject({ error: 'quota_exceeded', quota_used: 8 });
  });

  it.each([
    ['of the minute', { requestsPerMinute: 3 }, ['3', undefined]],
    ['of the month', { requestsPerMonth: 3 }, [undefined, '3']],
  ] as const)('but for one %s is held to that one', async (_, overrides, shown) => {
    const { secret } = await api.key(await api.account('enterprise', overrides));
    const answers = [];
    for (let number = 0; number < 4; number += 1) answers.push(await render(secret));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 'requestsPerMinute' in overrides ? 429 : 403]);
    const { headers } = answers[0]!;
    expect([headers['x-ratelimit-limit'], headers['x-quota-limit']]).toEqual(shown);
  });

  it('is told of its requests all the same', async () => {
    const { secret } = await api.key(await api.account('enterprise', {}));
    await Promise.all(Array.from({ length: 5 }, () => render(secret)));
    const { rate_limit: minute } = (await api.ask(secret, 'GET', '/api/v1/usage')).body as unknown as { rate_limit: unknown };
    expect(minute).toEqual({ per_minute: null, current_usage: 6 });
  });
});
