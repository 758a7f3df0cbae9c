import { afterEach, beforeEach, expect, it, vi } from 'vitest';
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
/** Sends a request with a key, and returns its status and its error. */
const send = async (method: 'POST' | 'PUT', url: string, body: unknown, key?: string) => {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const withKey = key === undefined ? headers : { ...headers, 'idempotency-key': key };
  const { statusCode, payload } = await api.app.inject({
    method,
    url,
    headers: withKey,
    payload: JSON.stringify(body),
  });
  const { id, error } = JSON.parse(payload) as Record<string, string>;
  return { status: statusCode, id, error };
};
/** The events of all Idempotency-Keys. */
const keyEvents = async (): Promise<string[]> =>
  (await api.eventLog.store.readAll(0, 1_000)).map(({ type }) => type).filter((type) => type.startsWith('Idempotency'));
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

it('A repeated request whose input is lost is an error at once', async () => {
  const [requested] = await api.eventLog.store.read(streams.render(renderId));
  const { source } = requested!.data as { source: { input: { sha256: string } } };
  await api.engines.blobs.delete(source.input.sha256);
  expect(await repeat()).toMatchObject({ status: 409, replayed: undefined, body: { error: 'render_input_lost' } });
  expect(await asked()).toBe(0);
});

it('A refused request claims no Idempotency-Key, and an accepted one keeps its key', async () => {
  const before = await keyEvents();
  for (let time = 1; time <= 3; time += 1)
    expect(await send('POST', '/api/v1/render', { mode: 'CONVERT' }, 'two')).toMatchObject({ status: 400 });
  expect(await keyEvents()).toEqual(before);
  const { id } = await send('POST', '/api/v1/render/async', htmlRequest, 'two');
  expect(await keyEvents()).toEqual([...before, 'IdempotencyKeyClaimed']);
  expect(await send('POST', '/api/v1/render/async', { mode: 'CONVERT' }, 'two')).toMatchObject({
    error: 'idempotency_conflict',
  });
  expect(await send('POST', '/api/v1/render/async', htmlRequest, 'two')).toMatchObject({ id });
});

it('A refused request claims no Idempotency-Key that has expired', async () => {
  await send('POST', '/api/v1/render/async', htmlRequest, 'two');
  later(24 * 60 * 60 * 1000);
  const before = await keyEvents();
  expect(await send('POST', '/api/v1/render/async', { mode: 'CONVERT' }, 'two')).toMatchObject({
    status: 400,
  });
  expect(await keyEvents()).toEqual(before);
});

it('A request is repeated even when the quota is used up, which refuses a new one', async () => {
  const overrides = { requestsPerMonth: 1, requestsPerMinute: 1_000 };
  await api.updateAccount(account, { type: 'changePlan', plan: 'free', overrides, reason: null });
  expect(await send('POST', '/api/v1/render', htmlRequest, 'new')).toMatchObject({ error: 'quota_exceeded' });
  expect(await repeat()).toMatchObject({ status: 200, replayed: 'true' });
});

it('A repeated change reads only the events that the process does not know, from streams of any length', async () => {
  const names = { name: 'Letter', content: '<p>x</p>' };
  const { id } = await send('POST', '/api/v1/templates', names);
  const read = vi.spyOn(api.eventLog.store, 'read');
  for (let time = 1; time <= 10; time += 1) {
    expect(await send('POST', '/api/v1/templates', names, 'three')).toMatchObject({ error: 'template_name_exists' });
    expect(await send('PUT', `/api/v1/templates/${id}`, { content: `<p>${time}</p>` })).toMatchObject({ status: 200 });
    expect(await send('POST', `/api/v1/templates/${id}/restore`, { version: 2 * time - 1 })).toMatchObject({
      status: 200,
    });
    const { id: other } = await send('POST', '/api/v1/templates', { ...names, name: 'Other' });
    expect((await api.request(secret, 'DELETE', `/api/v1/templates/${other}`)).status).toBe(204);
  }
  const lengths = await Promise.all(read.mock.results.map(async ({ value }) => (await value)?.length));
  expect(lengths.length).toBeGreaterThan(50);
  expect(Math.max(...lengths)).toBeLessThan(6);
});

it('An Idempotency-Key of a test key is not that of a live key', async () => {
  const live = await send('POST', '/api/v1/render/async', htmlRequest, 'two');
  const liveSecret = secret;
  secret = (await api.createKey(account, { keyType: 'test' })).secret;
  const test = await send('POST', '/api/v1/render/async', htmlRequest, 'two');
  expect(test).toMatchObject({ status: 200 });
  expect(test.id).not.toBe(live.id);
  expect(await send('POST', '/api/v1/render/async', htmlRequest, 'two')).toMatchObject({ id: test.id });
  secret = liveSecret;
  expect(await send('POST', '/api/v1/render/async', htmlRequest, 'two')).toMatchObject({ id: live.id });
});

it('A repeated request with another query is another request', async () => {
  secret = (await api.createKey(account, { keyType: 'test' })).secret;
  await send('POST', '/api/v1/render', { ...htmlRequest, webhook_url: 'https://example.com/hook' }, 'two');
  const repeated = (query: string) =>
    send('POST', `/api/v1/render${query}`, { ...htmlRequest, webhook_url: 'https://example.com/hook' }, 'two');
  expect(await repeated('')).toMatchObject({ status: 200 });
  expect(await repeated('?diagnostics=true')).toMatchObject({ status: 409, error: 'idempotency_conflict' });
});

it('A repeated request of a key without the permission is refused', async () => {
  secret = (await api.createKey(account, { permissions: ['jobs:read'] })).secret;
  expect(await repeat()).toMatchObject({
    status: 403,
    replayed: undefined,
    body: { error: 'insufficient_permissions', required_permission: 'render:create' },
  });
});

it('A request that failed after its render was accepted keeps its Idempotency-Key, and is not run again', async () => {
  vi.spyOn(api.engines.limits, 'confirmOrReleaseRender').mockRejectedValueOnce(new Error('no reply'));
  expect(await send('POST', '/api/v1/render/async', htmlRequest, 'two')).toMatchObject({ status: 500 });
  const other = { ...htmlRequest, data: '<p>other</p>' };
  expect(await send('POST', '/api/v1/render/async', other, 'two')).toMatchObject({ error: 'idempotency_conflict' });
  const repeated = await send('POST', '/api/v1/render/async', htmlRequest, 'two');
  expect(repeated.status).toBe(200);
  const requested = (await api.eventLog.store.readAll(0, 1_000)).filter(({ type }) => type === 'RenderRequested');
  expect(requested.map(({ stream }) => stream)).toEqual([
    streams.render(renderId),
    streams.render(bareId('render', repeated.id!)!),
  ]);
});
