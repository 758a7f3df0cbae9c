import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { openLimitsCorrection } from '../../services/sweeper/correct-limits.ts';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { renderJob } from '../support/api/stub-renderer.ts';

let api: InProcessApi;
const start = '2026-05-20T12:00:30.000Z';
beforeAll(async () => void (api = await openInProcessApi(start)));
beforeEach(() => void (api.clock.now = new Date(start)));
afterAll(() => api.closeAndRemove());

const render = (secret: string, body: unknown = htmlRequest) => api.request(secret, 'POST', '/api/v1/render', body);
const usedBy = async (secret: string, query = '') =>
  ((await api.request(secret, 'GET', `/api/v1/usage${query}`)).body as unknown as { quota: { used: number } }).quota
    .used;
const left = ({ headers }: { headers: Record<string, unknown> }) => Number(headers['x-quota-remaining']);

describe('The rate limit', () => {
  it('is exact for concurrent requests', async () => {
    const { secret } = await api.createKey(await api.createAccount('starter', {}));
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => api.request(secret, 'GET', '/api/v1/account')),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(40);
  });

  it('starts again at the full minute, not a minute after the first request', async () => {
    const { secret } = await api.createKey(await api.createAccount('free', {}));
    api.clock.now = new Date('2026-05-20T12:00:59.999Z');
    for (let request = 0; request < 5; request += 1) await api.request(secret, 'GET', '/api/v1/account');
    const refused = await api.request(secret, 'GET', '/api/v1/account');
    expect(refused.body).toMatchObject({
      error: 'rate_limit_exceeded',
      limit: 5,
      retry_after: 1,
      reset_at: '2026-05-20T12:01:00.000Z',
    });
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
    });
    api.clock.now = new Date('2026-05-20T12:01:00.000Z');
    expect((await api.request(secret, 'GET', '/api/v1/account')).status).toBe(200);
  });

  it('stays exact when the clock jumps back an hour and forward again', async () => {
    const { secret } = await api.createKey(await api.createAccount('free', {}));
    const statuses = async () =>
      Promise.all(Array.from({ length: 7 }, async () => (await api.request(secret, 'GET', '/api/v1/account')).status));
    const passed = async () => (await statuses()).filter((status) => status === 200).length;
    expect(await passed()).toBe(5);
    api.clock.now = new Date('2026-05-20T11:00:30.000Z');
    expect(await passed()).toBe(5);
    api.clock.now = new Date(start);
    expect(await passed()).toBe(0);
    api.clock.now = new Date('2026-05-20T13:00:30.000Z');
    expect(await passed()).toBe(5);
  });

  it('is in the headers of every response to a valid key, and of no other', async () => {
    const account = await api.createAccount('starter', {});
    const [one, less] = [await api.createKey(account), await api.createKey(account, { permissions: ['jobs:read'] })];
    const asks = [
      api.request(one.secret, 'GET', '/api/v1/account'),
      api.request(one.secret, 'POST', '/api/v1/render', {}),
      api.request(less.secret, 'GET', '/api/v1/account'),
      api.request(one.secret, 'GET', '/api/v1/jobs/job_x'),
      api.request(one.secret, 'DELETE', '/api/v1/templates/tpl_x'),
    ];
    const counted = await Promise.all(asks);
    const notCounted = await Promise.all([
      api.request(one.secret, 'GET', '/api/v1/unknown'),
      api.request(one.secret, 'PUT', '/api/v1/render', {}),
      api.request(one.secret, 'GET', '/api/v1/%zz'),
    ]);
    expect(notCounted.map(({ status, headers }) => [status, headers['x-ratelimit-remaining']])).toEqual([
      [404, '15'],
      [405, '15'],
      [400, '15'],
    ]);
    for (const { headers } of [...counted, ...notCounted]) {
      for (const name of ['limit', 'remaining', 'reset'])
        expect(headers).toMatchObject({
          [`x-ratelimit-${name}`]: expect.anything(),
          [`x-quota-${name}`]: expect.anything(),
        });
    }
    await api.updateAccount(account, { type: 'suspend', reason: 'unpaid' });
    const suspended = await api.request(one.secret, 'GET', '/api/v1/account');
    expect([suspended.status, suspended.headers['x-ratelimit-limit']]).toEqual([403, '20']);
    for (const path of ['account', 'unknown']) {
      const { headers, status } = await api.request('svc_live_x', 'GET', `/api/v1/${path}`);
      const limitHeaders = Object.keys(headers).filter((name) => /^x-(ratelimit|quota)/.test(name));
      expect([status, limitHeaders]).toEqual([path === 'account' ? 401 : 404, []]);
    }
  });
});

describe('The monthly quota', () => {
  it('is exact for concurrent renders', async () => {
    const { secret } = await api.createKey(
      await api.createAccount('free', { requestsPerMonth: 7, requestsPerMinute: 1_000 }),
    );
    const responses = await Promise.all(Array.from({ length: 30 }, () => render(secret)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(responses.filter(({ status, body }) => status === 403 && body.error === 'quota_exceeded')).toHaveLength(23);
    expect(await usedBy(secret)).toBe(7);
  });

  it.each([
    ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z'],
  ])('starts again in the first millisecond of the next month (%s)', async (last, first) => {
    const { secret } = await api.createKey(
      await api.createAccount('free', { requestsPerMonth: 1, requestsPerMinute: 1_000 }),
    );
    api.clock.now = new Date(last);
    expect(left(await render(secret))).toBe(0);
    expect((await render(secret)).body).toMatchObject({
      error: 'quota_exceeded',
      quota_limit: 1,
      quota_used: 1,
      quota_reset: first,
    });
    api.clock.now = new Date(first);
    expect((await render(secret)).status).toBe(200);
    expect([
      await usedBy(secret, `?period=${last.slice(0, 7)}`),
      await usedBy(secret, `?period=${first.slice(0, 7)}`),
    ]).toEqual([1, 1]);
  });

  it('gets back a render that failed through an error of the service, on its day', async () => {
    const { secret } = await api.createKey(
      await api.createAccount('free', { requestsPerMonth: 1, requestsPerMinute: 1_000 }),
    );
    const { body, ...accepted } = await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest);
    expect([accepted.status, left(accepted)]).toEqual([200, 0]);
    const stream = await renderJob(api, body.job_id!, () => Promise.reject(new Error('no browser')));
    expect((await api.engines.store.read(stream)).at(-1)).toMatchObject({
      type: 'RenderFailed',
      data: { error: { name: 'internal_error' }, quotaRefundDate: '2026-05-20' },
    });
    await waitUntil(
      'the render is given back',
      async () => left(await api.request(secret, 'GET', '/api/v1/account')) === 1,
    );
    await api.catchUpReadModels();
    const { body: usage } = await api.request(secret, 'GET', '/api/v1/usage');
    expect(usage).toMatchObject({ quota: { used: 0 } });
    expect((usage.by_day as unknown as { requests: number }[]).every(({ requests }) => requests === 0)).toBe(true);
    expect((await render(secret)).status).toBe(200);
  });

  it('does not get back a render that failed because of its document', async () => {
    const { secret } = await api.createKey(
      await api.createAccount('free', { requestsPerMonth: 5, requestsPerMinute: 1_000 }),
    );
    const { body } = await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest);
    const stream = await renderJob(api, body.job_id!, () =>
      Promise.reject(ApiError.of('conversion_failed', 'Too many pages.')),
    );
    await api.catchUpReadModels();
    expect((await api.engines.store.read(stream)).at(-1)).toMatchObject({
      type: 'RenderFailed',
      data: { quotaRefundDate: null },
    });
    expect(await usedBy(secret)).toBe(1);
  });

  it('does not count a render whose acceptance failed', async () => {
    const { secret } = await api.createKey(await api.createAccount());
    const { blobs } = api.engines;
    const put = blobs.put.bind(blobs);
    blobs.put = () => Promise.reject(new Error('disk full'));
    // Too large to be stored with the event.
    const failed = await render(secret, { ...htmlRequest, header_html: `<b>${'x'.repeat(64 * 1024)}</b>` });
    blobs.put = put;
    expect([failed.status, failed.body.error]).toEqual([500, 'internal_error']);
    expect(left(await api.request(secret, 'GET', '/api/v1/account'))).toBe(100);
  });

  it.each([1, 2])(
    'counts a render in the event log although its acceptance failed and %i reads of the event log failed',
    async (failures) => {
      const { secret } = await api.createKey(await api.createAccount());
      const { store, limits } = api.engines;
      const [append, read] = [store.append.bind(store), store.read.bind(store)];
      let failuresLeft = 0;
      store.append = async (...events) => {
        await append(...events);
        failuresLeft = failures;
        throw new Error('the answer was lost');
      };
      store.read = async (...from) =>
        (failuresLeft -= 1) >= 0 ? Promise.reject(new Error('the log is away')) : read(...from);
      const failed = await render(secret);
      [store.append, store.read] = [append, read];
      expect(failed.status).toBe(500);
      await api.catchUpReadModels();
      await openLimitsCorrection({ eventLog: api.eventLog, limits })();
      expect(left(await api.request(secret, 'GET', '/api/v1/account'))).toBe(99);
    },
  );

  it('is that of the month in which a render was counted, even if it was appended in the next month', async () => {
    const { secret } = await api.createKey(await api.createAccount());
    const { store } = api.engines;
    const append = store.append.bind(store);
    api.clock.now = new Date('2026-05-31T23:59:59.999Z');
    store.append = async (...events) => {
      api.clock.now = new Date('2026-06-01T00:00:00.001Z');
      return append(...events);
    };
    await render(secret);
    store.append = append;
    expect([await usedBy(secret, '?period=2026-05'), await usedBy(secret)]).toEqual([1, 0]);
  });
});

describe('A restart', () => {
  it('keeps the quota used and starts the rate limit again', async () => {
    const before = await openInProcessApi(start);
    const account = await before.createAccount('free', { requestsPerMonth: 3, requestsPerMinute: 2 });
    const { secret } = await before.createKey(account);
    for (let request = 0; request < 2; request += 1)
      await before.request(secret, 'POST', '/api/v1/render', htmlRequest);
    await before.close();
    const after = await openInProcessApi(start, { folder: before.dataDir });
    try {
      const { headers } = await after.request(secret, 'POST', '/api/v1/render', htmlRequest);
      expect(headers).toMatchObject({ 'x-ratelimit-remaining': '1', 'x-quota-remaining': '0' });
      expect((await after.request(secret, 'POST', '/api/v1/render', htmlRequest)).body).toMatchObject({
        error: 'quota_exceeded',
      });
      expect((await after.request(secret, 'GET', '/api/v1/account')).body).toMatchObject({
        error: 'rate_limit_exceeded',
      });
    } finally {
      await after.closeAndRemove();
    }
  });
});

describe('After a restart, until the usage read model has caught up,', () => {
  it('requests are rejected, and then the quota continues from the event log', async () => {
    const before = await openInProcessApi(start);
    const { secret } = await before.createKey(
      await before.createAccount('free', { requestsPerMonth: 3, requestsPerMinute: 1_000 }),
    );
    for (let request = 0; request < 2; request += 1)
      await before.request(secret, 'POST', '/api/v1/render', htmlRequest);
    await before.close();
    const after = await openInProcessApi(start, { folder: before.dataDir });
    try {
      const { reads } = after.engines;
      await reads.switchOver('usage', { generation: await reads.beginRebuild('usage'), position: 0 }, 'behind');
      const early = await after.request(secret, 'POST', '/api/v1/render', htmlRequest);
      expect([early.status, early.body.error, early.headers['retry-after']]).toEqual([503, 'service_unavailable', '2']);
      await after.catchUpReadModels();
      expect(left(await after.request(secret, 'POST', '/api/v1/render', htmlRequest))).toBe(0);
      expect((await after.request(secret, 'POST', '/api/v1/render', htmlRequest)).body).toMatchObject({
        error: 'quota_exceeded',
      });
    } finally {
      await after.closeAndRemove();
    }
  });
});

describe('If asynchronous renders are exempt from the rate limit', () => {
  let exempting: InProcessApi;
  beforeAll(async () => void (exempting = await openInProcessApi(start, { countAsync: false })));
  afterAll(() => exempting.closeAndRemove());
  const hook = { ...htmlRequest, webhook_url: 'https://example.com/hook' };
  const remaining = ({ headers }: { headers: Record<string, unknown> }) => Number(headers['x-ratelimit-remaining']);

  it('they do not count, and are accepted when nothing is left', async () => {
    const { secret } = await exempting.createKey(await exempting.createAccount('free', {}));
    for (const [path, body] of [
      ['/render/async', htmlRequest],
      ['/render', hook],
      ['/render/async', hook],
    ] as const) {
      const response = await exempting.request(secret, 'POST', `/api/v1${path}`, body);
      expect([response.status, remaining(response)]).toEqual([200, 5]);
    }
    for (let request = 0; request < 5; request += 1) await exempting.request(secret, 'GET', '/api/v1/account');
    expect((await exempting.request(secret, 'POST', '/api/v1/render', hook)).status).toBe(200);
    expect((await exempting.request(secret, 'POST', '/api/v1/render', htmlRequest)).body).toMatchObject({
      error: 'rate_limit_exceeded',
    });
  });

  it('all other requests count once, whatever their result', async () => {
    const { secret } = await exempting.createKey(await exempting.createAccount('free', {}));
    const left = [
      await exempting.request(secret, 'POST', '/api/v1/render', htmlRequest),
      await exempting.request(secret, 'POST', '/api/v1/render', { ...htmlRequest, mode: 'X' }),
      await exempting.request(secret, 'POST', '/api/v1/render', []),
      await exempting.request(secret, 'GET', '/api/v1/account'),
    ].map(remaining);
    expect(left).toEqual([4, 3, 2, 1]);
  });
});
