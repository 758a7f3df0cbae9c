import { afterEach, describe, expect, it } from 'vitest';
import { type InProcessApi, htmlRequest, maxBacklog, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
afterEach(() => api.closeAndRemove());

describe('A synchronous render that would wait too long', () => {
  it('is rejected at once with retry_after, and is neither counted nor recorded; a job is accepted', async () => {
    api = await openInProcessApi('2026-03-05T10:00:00Z');
    const { key, id } = await issued();
    await api.requestRenders(id, 900, 'wait');
    const head = await api.engines.store.head();
    const refused = await api.request(key, 'POST', '/api/v1/render', htmlRequest);
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 503, error: 'service_unavailable', retry_after: expect.any(Number) },
    });
    expect(refused.headers['retry-after']).toBe(String(refused.body.retry_after));
    expect(Number(refused.body.retry_after)).toBeGreaterThanOrEqual(1);
    expect(await api.engines.store.head()).toBe(head);
    expect(
      (await api.engines.limits.readStatus(id, { perMinute: null, perMonth: 100 }, api.clock.now)).quota.used,
    ).toBe(0);
    expect(await api.request(key, 'POST', '/api/v1/render/async', htmlRequest)).toMatchObject({
      status: 200,
      body: { status: 'QUEUED', estimated_time_ms: expect.any(Number) },
    });
  });

  it('depends on waiting synchronous renders only, not on a backlog that takes no more jobs', async () => {
    api = await openInProcessApi('2026-03-05T10:00:00Z');
    const { key, id } = await issued();
    await api.requestRenders(id, maxBacklog, 'poll');
    expect((await api.request(key, 'POST', '/api/v1/render/async', htmlRequest)).status).toBe(503);
    expect((await api.request(key, 'POST', '/api/v1/render', htmlRequest)).status).toBe(200);
  });

  it('depends on the renders of its own account only', async () => {
    api = await openInProcessApi('2026-03-05T10:00:00Z');
    const { key } = await issued();
    await api.requestRenders(await api.createAccount(), 900, 'wait');
    expect((await api.request(key, 'POST', '/api/v1/render', htmlRequest)).status).toBe(200);
  });
});

const issued = async (): Promise<{ key: string; id: string }> => {
  const id = await api.createAccount('pro');
  return { id, key: (await api.createKey(id)).secret };
};
