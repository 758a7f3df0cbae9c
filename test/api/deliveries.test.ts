import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deliveryListResponse,
  deliveryResponse,
  redeliverDeliveriesResponse,
  testWebhookResponse,
} from '#contracts/http/deliveries.ts';
import { bareId, streams } from '#contracts/names.ts';
import type { WebhookRequest, WebhookResult } from '#libs/egress/egress.ts';
import { createAttemptSchedule } from '#application/deliveries/attempt-schedule.ts';
import { deliverWebhook } from '#application/deliveries/deliver-webhook.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob } from '../support/api/stub-renderer.ts';
import { freeConnections } from '../support/webhooks/delivery-service.ts';

const requests: WebhookRequest[] = [];
let respond: (request: WebhookRequest) => WebhookResult;
const responded = (status: number, body = '', headers: Record<string, string> = {}): WebhookResult => ({
  kind: 'responded',
  status,
  headers,
  body,
  durationMs: 3,
});

let api: InProcessApi;
beforeAll(async () => {
  const sendWebhook = async (request: WebhookRequest): Promise<WebhookResult> => {
    requests.push(request);
    return respond(request);
  };
  api = await openInProcessApi('2026-05-20T12:00:30.000Z', { sendWebhook });
});
afterAll(() => api.closeAndRemove());

const advanceClock = (ms: number): void => void (api.clock.now = new Date(api.clock.now.getTime() + ms));

const openAccount = async () => {
  const id = await api.createAccount('business', { requestsPerMinute: 100_000 });
  const { secret: key } = await api.createKey(id);
  let uptimeMs = 0;
  const dependencies = {
    eventLog: api.eventLog,
    blobs: api.engines.blobs,
    reads: api.engines.reads,
    secrets: { current: Buffer.alloc(32), previous: [] },
    attemptSchedule: createAttemptSchedule(() => uptimeMs),
    baseUrl: 'https://pdf.example',
    connections: freeConnections,
    egress: {
      sendWebhook: async (request: WebhookRequest) => {
        requests.push(request);
        return respond(request);
      },
    },
  };
  const attempt = (jobId: string) => deliverWebhook(dependencies, bareId('job', jobId)!);
  const deliver = async (jobId: string) => {
    const result = await attempt(jobId);
    await api.catchUpReadModels();
    return result;
  };
  const finishJob = async (fields: Record<string, unknown>): Promise<string> => {
    const { body } = await api.request(key, 'POST', '/api/v1/render/async', { ...htmlRequest, ...fields });
    const job: string = body.job_id!;
    await renderJob(api, job);
    return job;
  };
  return {
    id,
    key,
    wait: (ms: number): void => {
      advanceClock(ms);
      uptimeMs += ms;
    },
    deliver,
    /** A finished render whose callback is attempted once. */
    callback: async (fields: Record<string, unknown>): Promise<string> => {
      const job = await finishJob(fields);
      await deliver(job);
      advanceClock(1);
      return job;
    },
    /** As many of them. The read models catch up once. */
    callbacks: async (count: number, fields: Record<string, unknown>): Promise<string[]> => {
      const jobs = await Promise.all(Array.from({ length: count }, () => finishJob(fields)));
      await Promise.all(jobs.map(attempt));
      await api.catchUpReadModels();
      return jobs;
    },
    list: async (query = '') => {
      const { status, body } = await api.request(key, 'GET', `/api/v1/deliveries${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return deliveryListResponse.parse(body);
    },
    read: async (job: string) => {
      const { status, body } = await api.request(key, 'GET', `/api/v1/deliveries/${job}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return deliveryResponse.parse(body);
    },
    redeliver: async (body: Record<string, unknown>) => api.request(key, 'POST', '/api/v1/deliveries/redeliver', body),
  };
};

const [one, other] = ['https://one.example/hook', 'https://two.example:8443/hook'];

describe('The list of callbacks', () => {
  it('is filtered by status, host, URL and time, and has pages', async () => {
    const { callback, list } = await openAccount();
    const since = api.clock.now.toISOString();
    respond = () => responded(200);
    const first = await callback({ webhook_url: one });
    const second = await callback({ webhook_url: other });
    const later = api.clock.now.toISOString();
    respond = () => responded(410);
    const third = await callback({ webhook_url: one });
    const fourth = await callback({ webhook_url: `${one}s` });
    const jobs = async (query: string) => (await list(query)).deliveries.map(({ job_id }) => job_id);
    expect(await jobs('')).toEqual([fourth, third, second, first]);
    expect(await jobs('?status=failed')).toEqual([fourth, third]);
    expect(await jobs('?status=delivered')).toEqual([second, first]);
    expect(await jobs('?host=one.example')).toEqual([fourth, third, first]);
    expect(await jobs('?host=two.example:8443')).toEqual([second]);
    expect(await jobs('?status=delivered&host=one.example')).toEqual([first]);
    expect(await jobs(`?url=${one}`)).toEqual([third, first]);
    expect(await jobs(`?url=${one}&status=failed`)).toEqual([third]);
    expect(await jobs(`?since=${later}`)).toEqual([fourth, third]);
    expect(await jobs(`?since=${since}&until=${later}`)).toEqual([second, first]);
    const page = await list('?limit=3');
    expect(page.deliveries).toHaveLength(3);
    expect(await jobs(`?limit=3&cursor=${page.next_cursor}`)).toEqual([first]);
    expect(page.deliveries[1]).toMatchObject({
      job_id: third,
      webhook_id: third.replace('job', 'msg'),
      status: 'failed',
      url: one,
      host: 'one.example',
      method: 'POST',
      attempts: 1,
      round: 1,
      last_response_status: 410,
      last_error: 'The receiver responded with status 410.',
      next_attempt_at: null,
      delivered_at: null,
      failed_at: expect.any(String),
    });
  });

  it('shows when the next attempt starts', async () => {
    const { callback, list } = await openAccount();
    respond = () => ({ kind: 'timeout', reason: 'one.example accepted the request.', durationMs: 10_000 });
    const at = api.clock.now.getTime();
    await callback({ webhook_url: one });
    expect((await list('?status=timeout')).deliveries).toMatchObject([
      { next_attempt_at: new Date(at + 5_000).toISOString(), last_response_status: null },
    ]);
  });
});

describe('A callback', () => {
  it('has its body and each attempt of each round with request, response, time and actor, without secrets', async () => {
    const { callback, read, key, deliver, wait } = await openAccount();
    const secretUrl = 'https://one.example/hooks/8f3a2c1d9e?key=p4M8w6Y3';
    respond = () => responded(503, 'no r5T1v3N0 here', { 'set-cookie': 'a=1', 'x-echo': 'key r5T1v3N0' });
    const started = api.clock.now.toISOString();
    const job = await callback({ webhook_url: secretUrl, webhook_headers: { Authorization: 'Bearer r5T1v3N0' } });
    wait(5_000);
    respond = () => responded(404);
    await deliver(job);
    const failed = await read(job);
    expect(failed).toMatchObject({ status: 'failed', attempts: 2, missing_fields: ['webhook_url', 'webhook_headers'] });
    expect(JSON.parse(failed.body!)).toMatchObject({ job_id: job, status: 'DONE' });
    expect(Buffer.from(requests.at(-1)!.body).toString()).toBe(failed.body);
    const url = 'https://one.example/hooks/***?key=***';
    expect(failed.rounds).toMatchObject([
      {
        round: 1,
        requested_at: started,
        actor: { kind: 'service', name: 'delivery' },
        attempts: [
          {
            attempt: 1,
            started_at: started,
            duration_ms: 3,
            request: {
              method: 'POST',
              url,
              headers: {
                authorization: '***',
                'x-service-signature': '***',
                'x-service-signature-all': '***',
                'webhook-signature': '***',
                'webhook-id': job.replace('job', 'msg'),
                'content-type': 'application/json',
              },
            },
            response: { status: 503, headers: { 'set-cookie': '***', 'x-echo': 'key ***' }, body: 'no *** here' },
            error: null,
            next_attempt_at: new Date(Date.parse(started) + 5_000).toISOString(),
          },
          { attempt: 2, response: { status: 404 }, next_attempt_at: null },
        ],
      },
    ]);
    for (const secret of ['8f3a2c1d9e', 'p4M8w6Y3', 'r5T1v3N0']) expect(JSON.stringify(failed)).not.toContain(secret);

    respond = () => ({ kind: 'failed', reason: 'There was no connection.', durationMs: 1 });
    const again = { webhook_url: other, webhook_headers: {} };
    await api.request(key, 'POST', `/api/v1/jobs/${job}/redeliver`, again);
    await deliver(job);
    const { rounds, missing_fields } = await read(job);
    expect(missing_fields).toEqual([]);
    expect(rounds).toMatchObject([
      {
        round: 2,
        actor: { kind: 'key', id: expect.stringMatching(/^key_/) },
        attempts: [
          {
            attempt: 1,
            request: { url: other },
            response: null,
            error: { kind: 'failed', message: 'There was no connection.' },
          },
        ],
      },
      { round: 1, attempts: [{ attempt: 1 }, { attempt: 2 }] },
    ]);
  });

  it('that the account does not have gives 404', async () => {
    const { callback } = await openAccount();
    respond = () => responded(200);
    const job = await callback({ webhook_url: one });
    const { key } = await openAccount();
    for (const id of [job, 'job_01K6ZC5B8Q4XJ0N9T2V7RWHE3M', 'x'])
      expect((await api.request(key, 'GET', `/api/v1/deliveries/${id}`)).body).toMatchObject({
        error: 'delivery_not_found',
        code: 404,
      });
  });
});

describe('Redelivery of all failed callbacks', () => {
  const parse = ({ status, body }: { status: number; body: unknown }) => {
    expect(status, JSON.stringify(body)).toBe(200);
    return redeliverDeliveriesResponse.parse(body);
  };

  it('sends those since a time again, one after the other, each once, and leaves out those with erased secrets', async () => {
    const { callback, redeliver, read, deliver, wait } = await openAccount();
    respond = () => responded(410);
    const early = await callback({ webhook_url: one });
    advanceClock(1_000);
    const failed_since = api.clock.now.toISOString();
    const first = await callback({ webhook_url: one });
    const second = await callback({ webhook_url: one });
    const elsewhere = await callback({ webhook_url: other });
    const sealed = await callback({ webhook_url: one, webhook_headers: { 'X-Key': 'k9Q2z7X1' } });
    const counted = parse(await redeliver({ failed_since, dry_run: true }));
    expect(counted).toMatchObject({ matching: 3, redelivered: 0, job_ids: [], erased_job_ids: [sealed] });
    expect((await read(first)).status).toBe('failed');
    expect(parse(await redeliver({ failed_since, url: other, dry_run: true })).matching).toBe(1);

    const sent = parse(await redeliver({ failed_since, url: one }));
    expect(sent).toMatchObject({ matching: 2, redelivered: 2, job_ids: [first, second], has_more: false });
    expect((await read(first)).next_attempt_at).toBeNull();
    const start = (await read(second)).next_attempt_at!;
    expect(Date.parse(start) - api.clock.now.getTime()).toBe(50);
    expect(await deliver(second)).toEqual({ kind: 'retry', delayMs: 50 });
    expect(parse(await redeliver({ failed_since, url: one }))).toMatchObject({ matching: 0, redelivered: 0 });
    respond = () => responded(200);
    wait(50);
    for (const job of [first, second]) expect(await deliver(job)).toEqual({ kind: 'done' });
    for (const [job, status, round] of [
      [first, 'delivered', 2],
      [second, 'delivered', 2],
      [elsewhere, 'failed', 1],
      [early, 'failed', 1],
    ] as const)
      expect(await read(job)).toMatchObject({ status, round });
  });

  it('does not send those again that failed after `until`', async () => {
    const { callback, redeliver, deliver } = await openAccount();
    respond = () => responded(410);
    const failed_since = api.clock.now.toISOString();
    const job = await callback({ webhook_url: one });
    const { until } = parse(await redeliver({ failed_since }));
    advanceClock(1_000);
    expect(await deliver(job)).toEqual({ kind: 'done' });
    expect(parse(await redeliver({ failed_since, until })).redelivered).toBe(0);
    expect(parse(await redeliver({ failed_since })).job_ids).toEqual([job]);
  });

  it('takes at most 200 in one call', async () => {
    const { redeliver, callbacks } = await openAccount();
    respond = () => responded(410);
    const failed_since = api.clock.now.toISOString();
    const jobs = await callbacks(201, { webhook_url: one });
    advanceClock(1);
    const first = parse(await redeliver({ failed_since }));
    expect(first).toMatchObject({ matching: 201, redelivered: 200, has_more: true });
    const second = parse(await redeliver({ failed_since, until: first.until }));
    expect(second).toMatchObject({ matching: 1, redelivered: 1, has_more: false });
    expect([...first.job_ids, ...second.job_ids].toSorted()).toEqual(jobs.toSorted());
  });

  it('needs the permission to render', async () => {
    const { id } = await openAccount();
    const { secret } = await api.createKey(id, { permissions: ['jobs:read', 'templates:read', 'usage:read'] });
    for (const [path, body] of [
      ['deliveries/redeliver', { failed_since: '2026-01-01' }],
      ['webhooks/test', { url: one }],
    ] as const)
      expect((await api.request(secret, 'POST', `/api/v1/${path}`, body)).body).toMatchObject({
        error: 'insufficient_permissions',
        required_permission: 'render:create',
      });
  });
});

describe('A test callback', () => {
  it('returns request and response, and is recorded with its actor and without secrets', async () => {
    const { id, key } = await openAccount();
    respond = () => responded(201, 'got r5T1v3N0', { 'x-a': 'b' });
    const { status, headers, body } = await api.request(key, 'POST', '/api/v1/webhooks/test', {
      url: 'https://one.example/hook?key=p4M8w6Y3',
      method: 'PUT',
      headers: { 'X-Key': 'r5T1v3N0' },
    });
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    const test = testWebhookResponse.parse(body);
    const sent = requests.at(-1)!;
    expect(sent).toMatchObject({ account: id, url: 'https://one.example/hook?key=p4M8w6Y3', timeoutMs: 10_000 });
    expect(test).toMatchObject({
      delivered: true,
      duration_ms: 3,
      started_at: api.clock.now.toISOString(),
      request: {
        method: 'PUT',
        url: 'https://one.example/hook?key=***',
        headers: {
          'x-key': '***',
          'webhook-id': test.id,
          'x-service-signature': sent.headers['x-service-signature'],
          'webhook-signature': sent.headers['webhook-signature'],
        },
        body: Buffer.from(sent.body).toString(),
      },
      response: { status: 201, headers: { 'x-a': 'b' }, body: 'got ***' },
      error: null,
    });
    expect(JSON.parse(test.request.body)).toMatchObject({ status: 'DONE', test: true });
    const [event, ...more] = await api.engines.store.read(streams.webhookTest(test.id.replace('msg_', '')));
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'WebhookTested',
      metadata: { accountId: id, actor: { kind: 'key' } },
      data: { method: 'PUT', outcome: { kind: 'responded', status: 201 } },
    });
    const recorded = JSON.stringify(event);
    for (const secret of ['p4M8w6Y3', 'r5T1v3N0', sent.headers['x-service-signature']!])
      expect(recorded).not.toContain(secret);
  });

  it('says why there was no response, and is limited to ten a minute', async () => {
    const { key } = await openAccount();
    const neighbour = await openAccount();
    respond = () => ({ kind: 'blocked', reason: 'The address is not public.', durationMs: 0 });
    const send = (from: string) => api.request(from, 'POST', '/api/v1/webhooks/test', { url: one });
    expect((await send(key)).body).toMatchObject({
      delivered: false,
      response: null,
      error: { kind: 'blocked', message: 'The address is not public.' },
    });
    for (let test = 2; test <= 10; test += 1) expect((await send(key)).status).toBe(200);
    expect((await send(key)).body).toMatchObject({ error: 'rate_limit_exceeded', limit: 10 });
    expect((await send(neighbour.key)).status).toBe(200);
    advanceClock(60_000);
    expect((await send(key)).status).toBe(200);
  });

  it('rejects an address that a render would reject', async () => {
    const { key } = await openAccount();
    for (const [body, field] of [
      [{}, 'url'],
      [{ url: 'http://one.example/' }, 'url'],
      [{ url: 'https://me:pw@one.example/' }, 'url'],
      [{ url: one, headers: { 'X-Service-Signature-All': 'x' } }, 'headers.X-Service-Signature-All'],
      [{ url: one, method: 'GET' }, 'method'],
    ] as const)
      expect((await api.request(key, 'POST', '/api/v1/webhooks/test', body)).body).toMatchObject({
        error: 'invalid_request',
        field,
      });
  });
});
