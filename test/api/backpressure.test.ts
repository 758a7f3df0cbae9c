import { afterEach, describe, expect, it } from 'vitest';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
afterEach(async () => {
  await api.close();
  await api.remove();
});

describe('A caller who would wait beyond the deadline', () => {
  it('is told at once when to come again, and may have the document later; nothing of the refused request is counted or recorded', async () => {
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

  it('is only one who has as many before him that wait too: a long backlog of jobs turns nobody away', async () => {
    api = await openInProcessApi('2026-03-05T10:00:00Z');
    const { key, id } = await issued();
    await api.requestRenders(id, 900, 'poll');
    expect((await api.request(key, 'POST', '/api/v1/render', htmlRequest)).status).toBe(200);
  });

  it('is only one whose own account has as many waiting: accounts take turns, and what waits of another one turns nobody away', async () => {
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
