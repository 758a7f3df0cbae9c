import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, html, openApi } from './harness.ts';
import { printing, renderJob } from './renderer.ts';

const start = '2026-05-20T12:00:30.000Z';
const hourMs = 3_600_000;

let api: Api;
let secret: string;
beforeAll(async () => {
  api = await openApi(start);
  secret = (await api.key(await api.account('pro'))).secret;
});
beforeEach(() => void (api.clock.now = new Date(start)));
afterAll(async () => {
  await api.close();
  await api.remove();
});

const setBack = (): void => void (api.clock.now = new Date(api.clock.now.getTime() - hourMs));

/** Does what a caller asks for in a process that dies once it has appended to a stream of this kind. */
const dyingAfter = async (kind: string, act: () => Promise<unknown>): Promise<void> => {
  const { store } = api.engines;
  const append = store.append.bind(store);
  let isDead = false;
  store.append = async (stream, ...given) => {
    if (isDead) throw new Error('the process is dead');
    isDead = stream.startsWith(kind);
    return append(stream, ...given);
  };
  await act();
  store.append = append;
};

describe('Where the clock is set back by an hour', () => {
  it('an Idempotency-Key whose request died is not kept by it until the hour is over', async () => {
    const ask = async () => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': 'one' };
      return (await api.app.inject({ method: 'POST', url: '/api/v1/render/async', headers, payload: JSON.stringify(html) })).statusCode;
    };
    await dyingAfter('idempotency-', ask);
    expect(await ask()).toBe(409);
    setBack();
    expect(await ask()).toBe(200);
  });

  it('a template name whose request died is not kept by it until the hour is over', async () => {
    const create = () => api.ask(secret, 'POST', '/api/v1/templates', { name: 'Invoice', content: '<p>x</p>' });
    await dyingAfter('templateName-', create);
    setBack();
    expect((await create()).status).toBe(201);
  });

  it('a render in the middle of its work took no negative time, and less than the hour', async () => {
    const { job_id: id } = (await api.ask(secret, 'POST', '/api/v1/render/async', html)).body as unknown as { job_id: string };
    await renderJob(api, id, async (request) => {
      setBack();
      return printing(request);
    });
    await api.settled();
    const { body } = await api.ask(secret, 'GET', `/api/v1/jobs/${id}`);
    expect(body).toMatchObject({ status: 'DONE', duration_ms: expect.toSatisfy((ms: number) => ms >= 0 && ms < hourMs) });
  });
});
