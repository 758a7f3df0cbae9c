import { afterEach, beforeEach, expect, it } from 'vitest';
import { bareId, streams } from '#contracts/names.ts';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob } from '../support/api/stub-renderer.ts';

let api: InProcessApi;
let secret: string;
let renderId: string;
let account: string;
beforeEach(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  account = await api.createAccount('free');
  secret = (await api.createKey(account)).secret;
  const first = await repeat();
  renderId = bareId('render', String(first.body.id))!;
  await renderJob(api, `job_${renderId}`);
});
afterEach(() => api.closeAndRemove());

const repeat = async () => {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': 'one' };
  const {
    statusCode: status,
    headers: answered,
    body,
  } = await api.app.inject({ method: 'POST', url: '/api/v1/render', headers, payload: JSON.stringify(htmlRequest) });
  return { status, replayed: answered['idempotency-replayed'], body: JSON.parse(body) as Record<string, unknown> };
};
const asked = async (): Promise<number> =>
  (await api.eventLog.store.read(streams.render(renderId))).filter(({ type }) => type === 'PdfRegenerationRequested')
    .length;
const later = (ms: number): void => void (api.clock.now = new Date(api.clock.now.getTime() + ms));

it('Twenty concurrent repeated requests regenerate the PDF once', async () => {
  const responses = await Promise.all(Array.from({ length: 20 }, repeat));
  expect(responses.map(({ status, replayed }) => [status, replayed])).toEqual(responses.map(() => [200, 'true']));
  expect(await asked()).toBe(1);
});

it('A PDF is regenerated at most five times for one Idempotency-Key, and the error says when the key expires', async () => {
  for (let time = 1; time <= 5; time += 1) {
    expect((await repeat()).status).toBe(200);
    expect(await asked()).toBe(time);
    later(60_000);
  }
  expect(await repeat()).toMatchObject({
    status: 429,
    replayed: undefined,
    body: {
      error: 'rate_limit_exceeded',
      limit: 5,
      reset_at: '2026-05-21T12:00:30.000Z',
      retry_after: 24 * 3600 - 300,
      message: expect.stringMatching(/new Idempotency-Key/),
    },
  });
  expect(await asked()).toBe(5);
});

it('A repeated request whose PDF would wait too long is rejected like a new one', async () => {
  await api.requestRenders(account, 900, 'wait');
  await expect.poll(async () => (await api.request(secret, 'POST', '/api/v1/render', htmlRequest)).status).toBe(503);
  expect(await repeat()).toMatchObject({ status: 503, replayed: undefined, body: { error: 'service_unavailable' } });
  expect(await asked()).toBe(0);
});
