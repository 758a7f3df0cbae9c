import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Api, html, openApi } from './harness.ts';
import { renderJob } from './renderer.ts';

let api: Api;
beforeEach(async () => void (api = await openApi('2026-05-20T12:00:30.000Z')));
afterEach(async () => {
  await api.close();
  await api.remove();
});

const crowd = (account: string): Promise<void> => api.waiting(account, 900, 'wait');

const openTemplate = async () => {
  const account = await api.account('free', { requestsPerMonth: 2, requestsPerMinute: 100_000 });
  const [live, test] = [await api.key(account), await api.key(account, { keyType: 'test' })];
  const { body } = await api.ask(live.secret, 'POST', '/api/v1/templates', { name: 'T', content: '<p>{{x}}</p>' });
  return { account, live: live.secret, tryOut: (secret: string) => api.ask(secret, 'POST', `/api/v1/templates/${body.id}/test`, { data: { x: 1 } }), test: test.secret };
};

describe('Trials of templates', () => {
  it('are as many in a month for live keys as the plan has renders, and any number for test keys', async () => {
    const { live, test, tryOut } = await openTemplate();
    for (let trial = 0; trial < 2; trial += 1) expect((await tryOut(live)).status).toBe(200);
    expect(await tryOut(live)).toMatchObject({ status: 403, body: { error: 'quota_exceeded', quota_limit: 2, quota_used: 2, quota_reset: '2026-06-01T00:00:00.000Z', message: expect.stringMatching(/trials/) } });
    expect((await tryOut(test)).status).toBe(200);
    expect((await api.ask(live, 'GET', '/api/v1/usage')).body).toMatchObject({ quota: { used: 0 }, trials: { limit: 2, used: 2 } });
    expect((await api.ask(live, 'POST', '/api/v1/render', html)).status).toBe(200);
    api.clock.now = new Date('2026-06-01T00:00:00.000Z');
    expect((await tryOut(live)).status).toBe(200);
  });

  it('are refused where they would wait for too long', async () => {
    const { account, live, tryOut } = await openTemplate();
    await crowd(account);
    expect(await tryOut(live)).toMatchObject({ status: 503, body: { error: 'service_unavailable', retry_after: expect.any(Number) } });
  });
});

describe('Diagnostics of a job', () => {
  const openJob = async () => {
    const account = await api.account();
    const { secret } = await api.key(account);
    const { body } = await api.ask(secret, 'POST', '/api/v1/render/async', html);
    const stream = await renderJob(api, String(body.job_id));
    const asked = async (): Promise<number> => (await api.log.store.read(stream)).filter(({ type }) => type === 'DiagnosisRequested').length;
    return { account, secret, asked, path: `/api/v1/jobs/${body.job_id}?diagnostics=true` };
  };

  it('make a PDF, and need the permission for it', async () => {
    const { account, path, asked } = await openJob();
    const reader = await api.key(account, { permissions: ['jobs:read'] });
    expect(await api.ask(reader.secret, 'GET', path)).toMatchObject({ status: 403, body: { error: 'insufficient_permissions', required_permission: 'render:create' } });
    expect((await api.ask(reader.secret, 'GET', path.split('?')[0]!)).status).toBe(200);
    expect(await asked()).toBe(0);
  });

  it('are not made where many renders wait: the caller is told to ask again', async () => {
    const { account, secret, path, asked } = await openJob();
    await crowd(account);
    await expect.poll(async () => (await api.ask(secret, 'POST', '/api/v1/render', html)).status).toBe(503);
    expect((await api.ask(secret, 'GET', path)).body).toMatchObject({ diagnostics: { pending: true } });
    expect(await asked()).toBe(0);
  });
});
