import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
const start = '2026-05-03T12:00:00.000Z';
beforeAll(async () => void (api = await openInProcessApi(start)));
beforeEach(() => void (api.clock.now = new Date(start)));
afterAll(() => api.closeAndRemove());

const usage = async (secret: string, query = '') =>
  (await api.request(secret, 'GET', `/api/v1/usage${query}`)).body as unknown as {
    period: string;
    quota: unknown;
    rate_limit: unknown;
    by_day: { date: string; requests: number }[];
  };

describe('The usage of an account', () => {
  it('has every day of the month so far, also days without renders', async () => {
    const { secret } = await api.createKey(await api.createAccount());
    await api.request(secret, 'POST', '/api/v1/render', htmlRequest);
    api.clock.now = new Date('2026-05-05T00:00:00.000Z');
    await api.request(secret, 'POST', '/api/v1/render', htmlRequest);
    await api.request(secret, 'POST', '/api/v1/render', htmlRequest);
    expect(await usage(secret)).toEqual({
      period: '2026-05',
      quota: { limit: 100, used: 3, remaining: 97 },
      rate_limit: { per_minute: 100_000, current_usage: 3 },
      template_tests: { limit: 100, used: 0 },
      by_day: [
        ['01', 0],
        ['02', 0],
        ['03', 1],
        ['04', 0],
        ['05', 2],
      ].map(([day, requests]) => ({ date: `2026-05-${day}`, requests })),
    });
  });

  it('of an earlier month has all of its days, also in the next year', async () => {
    const { secret } = await api.createKey(await api.createAccount());
    await api.request(secret, 'POST', '/api/v1/render', htmlRequest);
    api.clock.now = new Date('2027-01-01T00:00:00.000Z');
    const { by_day: days, ...may } = await usage(secret, '?period=2026-05');
    expect(may).toMatchObject({ period: '2026-05', quota: { limit: 100, used: 1, remaining: 99 } });
    expect([days.length, days[2]]).toEqual([31, { date: '2026-05-03', requests: 1 }]);
    expect(await usage(secret)).toMatchObject({
      period: '2027-01',
      quota: { used: 0 },
      by_day: [{ date: '2027-01-01', requests: 0 }],
    });
  });

  it('has the right number of days for February', async () => {
    const { secret } = await api.createKey(await api.createAccount());
    const lengths = await Promise.all(
      ['2024-02', '2025-02', '2000-02', '1900-02'].map(
        async (period) => (await usage(secret, `?period=${period}`)).by_day.length,
      ),
    );
    expect(lengths).toEqual([29, 28, 29, 28]);
  });

  it('has null for unlimited', async () => {
    const { secret } = await api.createKey(await api.createAccount('enterprise', {}));
    await api.request(secret, 'POST', '/api/v1/render', htmlRequest);
    expect(await usage(secret)).toMatchObject({
      quota: { limit: null, used: 1, remaining: null },
      rate_limit: { per_minute: null, current_usage: 2 },
    });
  });

  it('does not count renders of test keys and template tests', async () => {
    const account = await api.createAccount();
    const [live, test] = [await api.createKey(account), await api.createKey(account, { keyType: 'test' })];
    await api.request(test.secret, 'POST', '/api/v1/render', htmlRequest);
    const { body } = await api.request(live.secret, 'POST', '/api/v1/templates', {
      name: 'T',
      content: '<p>{{x}}</p>',
    });
    expect(
      (await api.request(live.secret, 'POST', `/api/v1/templates/${body.id}/test`, { data: { x: 1 } })).status,
    ).toBe(200);
    expect(await usage(live.secret)).toMatchObject({ quota: { used: 0 }, template_tests: { used: 1 } });
  });

  it('does not count a rejected render', async () => {
    const { secret } = await api.createKey(await api.createAccount());
    for (const body of [
      { ...htmlRequest, mode: 'X' },
      { ...htmlRequest, data: '' },
      { mode: 'RENDER', template_id: 'tpl_01K6ZC5B8Q4XJ0N9T2V7RWHE3M', data: {} },
      { ...htmlRequest, margin_top: 101 },
    ]) {
      expect((await api.request(secret, 'POST', '/api/v1/render', body)).status).toBeGreaterThanOrEqual(400);
    }
    expect(await usage(secret)).toMatchObject({ quota: { used: 0, remaining: 100 } });
  });

  it('may exceed the limit after a change to a smaller plan', async () => {
    const account = await api.createAccount('free', { requestsPerMonth: 3, requestsPerMinute: 1_000 });
    const { secret } = await api.createKey(account);
    for (let render = 0; render < 3; render += 1) await api.request(secret, 'POST', '/api/v1/render', htmlRequest);
    await api.updateAccount(account, {
      type: 'changePlan',
      plan: 'free',
      overrides: { requestsPerMonth: 1, requestsPerMinute: 1_000 },
      reason: null,
    });
    expect(await usage(secret)).toMatchObject({ quota: { limit: 1, used: 3, remaining: 0 } });
  });

  it.each(['2026-06', '2027-01', '9999-12'])(
    'of a future month (%s) is rejected with the latest month',
    async (period) => {
      const { secret } = await api.createKey(await api.createAccount());
      const { status, body } = await api.request(secret, 'GET', `/api/v1/usage?period=${period}`);
      expect([status, body]).toEqual([
        400,
        expect.objectContaining({
          error: 'invalid_request',
          field: 'period',
          message: expect.stringContaining('2026-05'),
        }),
      ]);
    },
  );

  it.each(['2026-13', '2026-00', '2026-5', '05-2026', '2026-05-01', '', 'now', '2026-05%00'])(
    'of an invalid month (%j) is rejected',
    async (period) => {
      const { secret } = await api.createKey(await api.createAccount());
      const { status, body } = await api.request(secret, 'GET', `/api/v1/usage?period=${period}`);
      expect([status, body]).toEqual([
        400,
        expect.objectContaining({
          error: 'invalid_request',
          field: 'period',
          message: expect.stringContaining('YYYY-MM'),
        }),
      ]);
    },
  );

  it('accepts no other parameter and only one period', async () => {
    const { secret } = await api.createKey(await api.createAccount());
    for (const query of ['?month=2026-05', '?period=2026-05&period=2026-04'])
      expect((await api.request(secret, 'GET', `/api/v1/usage${query}`)).status).toBe(400);
  });

  it('needs the permission usage:read', async () => {
    const { secret } = await api.createKey(await api.createAccount(), { permissions: ['render:create'] });
    for (const path of ['/usage', '/account', '/account/events']) {
      const { status, body } = await api.request(secret, 'GET', `/api/v1${path}`);
      expect([status, body]).toEqual([
        403,
        expect.objectContaining({ error: 'insufficient_permissions', required_permission: 'usage:read' }),
      ]);
    }
  });
});
