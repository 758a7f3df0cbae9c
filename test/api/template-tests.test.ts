import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob } from '../support/api/stub-renderer.ts';

let api: InProcessApi;
beforeEach(async () => void (api = await openInProcessApi('2026-05-20T12:00:30.000Z')));
afterEach(() => api.closeAndRemove());

const crowd = (account: string): Promise<void> => api.requestRenders(account, 900, 'wait');

const openTemplate = async () => {
  const account = await api.createAccount('free', { requestsPerMonth: 2, requestsPerMinute: 100_000 });
  const [live, test] = [await api.createKey(account), await api.createKey(account, { keyType: 'test' })];
  const { body } = await api.request(live.secret, 'POST', '/api/v1/templates', { name: 'T', content: '<p>{{x}}</p>' });
  return {
    account,
    live: live.secret,
    tryOut: (secret: string) => api.request(secret, 'POST', `/api/v1/templates/${body.id}/test`, { data: { x: 1 } }),
    test: test.secret,
  };
};

describe('Template tests', () => {
  it('are limited to the renders of the plan for live keys, and unlimited for test keys', async () => {
    const { live, test, tryOut } = await openTemplate();
    for (let count = 0; count < 2; count += 1) expect((await tryOut(live)).status).toBe(200);
    expect(await tryOut(live)).toMatchObject({
      status: 403,
      body: {
        error: 'quota_exceeded',
        quota_limit: 2,
        quota_used: 2,
        quota_reset: '2026-06-01T00:00:00.000Z',
        message: expect.stringMatching(/template tests/),
      },
    });
    expect((await tryOut(test)).status).toBe(200);
    expect((await api.request(live, 'GET', '/api/v1/usage')).body).toMatchObject({
      quota: { used: 0 },
      template_tests: { limit: 2, used: 2 },
    });
    expect((await api.request(live, 'POST', '/api/v1/render', htmlRequest)).status).toBe(200);
    api.clock.now = new Date('2026-06-01T00:00:00.000Z');
    expect((await tryOut(live)).status).toBe(200);
  });

  it('are rejected if they would wait too long', async () => {
    const { account, live, tryOut } = await openTemplate();
    await crowd(account);
    expect(await tryOut(live)).toMatchObject({
      status: 503,
      body: { error: 'service_unavailable', retry_after: expect.any(Number) },
    });
  });
});

describe('Diagnostics of a job', () => {
  const openJob = async () => {
    const account = await api.createAccount();
    const { secret } = await api.createKey(account);
    const { body } = await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest);
    const stream = await renderJob(api, String(body.job_id));
    const asked = async (): Promise<number> =>
      (await api.eventLog.store.read(stream)).filter(({ type }) => type === 'DiagnosisRequested').length;
    return { account, secret, asked, path: `/api/v1/jobs/${body.job_id}?diagnostics=true` };
  };

  it('need the permission to make a PDF', async () => {
    const { account, path, asked } = await openJob();
    const reader = await api.createKey(account, { permissions: ['jobs:read'] });
    expect(await api.request(reader.secret, 'GET', path)).toMatchObject({
      status: 403,
      body: { error: 'insufficient_permissions', required_permission: 'render:create' },
    });
    expect((await api.request(reader.secret, 'GET', path.split('?')[0]!)).status).toBe(200);
    expect(await asked()).toBe(0);
  });

  it('are pending while many renders wait', async () => {
    const { account, secret, path, asked } = await openJob();
    await crowd(account);
    await expect.poll(async () => (await api.request(secret, 'POST', '/api/v1/render', htmlRequest)).status).toBe(503);
    expect((await api.request(secret, 'GET', path)).body).toMatchObject({ diagnostics: { pending: true } });
    expect(await asked()).toBe(0);
  });
});
