import { afterEach, describe, expect, it } from 'vitest';
import { type Api, html, openApi } from './harness.ts';

let api: Api;
afterEach(async () => {
  await api.close();
  await api.remove();
});

describe('A caller who would wait beyond the deadline', () => {
  it('is told at once when to come again, and may have the document later; nothing of the refused request is counted or recorded', async () => {
    api = await openApi('2026-03-05T10:00:00Z');
    const { key, id } = await issued();
    await api.waiting(id, 900, 'wait');
    const head = await api.engines.store.head();
    const refused = await api.ask(key, 'POST', '/api/v1/render', html);
    expect(refused).toMatchObject({ status: 503, body: { code: 503, error: 'service_unavailable', retry_after: expect.any(Number) } });
    expect(refused.headers['retry-after']).toBe(String(refused.body.retry_after));
    expect(Number(refused.body.retry_after)).toBeGreaterThanOrEqual(1);
    expect(await api.engines.store.head()).toBe(head);
    expect((await api.engines.limits.look(id, { perMinute: null, perMonth: 100 }, api.clock.now)).month.used).toBe(0);
    expect(await api.ask(key, 'POST', '/api/v1/render/async', html)).toMatchObject({ status: 200, body: { status: 'QUEUED', estimated_time_ms: expect.any(Number) } });
  });

  it('is only one who has as many before him that wait too: a long backlog of jobs turns nobody away', async () => {
    api = await openApi('2026-03-05T10:00:00Z');
    const { key, id } = await issued();
    await api.waiting(id, 900, 'poll');
    expect((await api.ask(key, 'POST', '/api/v1/render', html)).status).toBe(200);
  });

  it('is only one whose own account has as many waiting: accounts take turns, and what waits of another one turns nobody away', async () => {
    api = await openApi('2026-03-05T10:00:00Z');
    const { key } = await issued();
    await api.waiting(await api.account(), 900, 'wait');
    expect((await api.ask(key, 'POST', '/api/v1/render', html)).status).toBe(200);
  });
});

const issued = async (): Promise<{ key: string; id: string }> => {
  const id = await api.account('pro');
  return { id, key: (await api.key(id)).secret };
};
