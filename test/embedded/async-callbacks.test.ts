import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { type JobClient, createJobClient, pathAndQueryOf, smallRequest } from '../support/client/job-client.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { serviceSignature, standardSignature, standardSignatures } from '../support/webhooks/signatures.ts';
import { waitUntil } from '../support/wait-until.ts';

const plenty = ['--requests-per-minute', '1000000', '--requests-per-month', '1000000'];

let receivers: WebhookReceivers;
const at = serviceForTestFile(async () => {
  receivers = await openWebhookReceivers();
  return receivers.settings;
});
let account: string;
let client: ApiClient;
let jobs: JobClient;
beforeAll(async () => {
  account = await openAccount(at.installation, ...plenty);
  client = createClient(at.service.url, (await issueKey(at.installation, account)).key);
  jobs = createJobClient(client);
});
afterAll(() => receivers.close());

const secretOf = async (...options: string[]): Promise<string> =>
  (await at.installation.runJsonCommand<{ secret: string }>('account', 'webhook-secret', account, ...options)).secret;

describe('The callback', () => {
  it('of a finished PDF has the documented fields and no others, and a URL from which the PDF can be downloaded at once', async () => {
    const downloads: number[] = [];
    const receiver = await receivers.openReceiver(({ body }) => async (_request, response) => {
      // Requested during the callback: job and PDF must be available by then.
      downloads.push(
        (await fetch(at.service.url + pathAndQueryOf(body.pdf_url))).status,
        (await jobs.get(String(body.job_id))).status === 'DONE' ? 200 : 0,
      );
      response.end();
    });
    const queued = await jobs.submit({ webhook_url: receiver.url });
    expect(queued).toMatchObject({
      status: 'QUEUED',
      webhook_url: receiver.url,
      job_id: queued.id.replace('render', 'job'),
    });
    const job = await jobs.waitUntilJob(
      queued.job_id,
      'is delivered',
      ({ webhook_status }) => webhook_status === 'delivered',
    );
    const [callback, ...more] = receiver.forJob(queued.job_id);
    expect(more).toEqual([]);
    expect(callback).toMatchObject({ method: 'POST', path: '/hook', headers: { 'content-type': 'application/json' } });
    expect(callback!.body).toEqual({
      id: queued.id,
      status: 'DONE',
      job_id: queued.job_id,
      pdf_url: job.pdf_url,
      pdf_expires_at: job.pdf_expires_at,
      pages: 1,
      file_size_kb: job.file_size_kb,
      duration_ms: job.duration_ms,
      created_at: queued.created_at,
      completed_at: job.completed_at,
    });
    expect(downloads).toEqual([200, 200]);
    expect(job).toMatchObject({
      webhook_url: receiver.url,
      webhook_attempts: 1,
      webhook_last_attempt: expect.any(String),
    });
    expect(job).not.toHaveProperty('webhook_last_error');
    const events = await jobs.events(queued.job_id);
    expect(events.map(({ type }) => type)).toEqual([
      'RenderRequested',
      'RenderStarted',
      'RenderCompleted',
      'DeliveryRequested',
      'WebhookAttemptStarted',
      'WebhookAttempted',
      'WebhookDelivered',
    ]);
    expect(events.at(-2)!.data).toMatchObject({
      attempt: 1,
      outcome: { kind: 'responded', status: 200, response_body: '' },
      duration_ms: expect.any(Number),
      next_attempt_at: null,
    });
  });

  it('of a failed render contains the error', async () => {
    const receiver = await receivers.openReceiver();
    const queued = await jobs.submit(
      { webhook_url: receiver.url },
      { mode: 'CONVERT', input_type: 'json', data: '{"a": ' },
    );
    const job = await jobs.waitUntilJob(
      queued.job_id,
      'is delivered',
      ({ webhook_status }) => webhook_status === 'delivered',
    );
    expect(receiver.forJob(queued.job_id)[0]!.body).toEqual({
      id: queued.id,
      status: 'FAILED',
      job_id: queued.job_id,
      error: 'conversion_failed',
      message: job.message,
      details: job.details,
      line: 1,
      created_at: queued.created_at,
      failed_at: job.failed_at,
    });
    expect(job).toMatchObject({ status: 'FAILED', error: 'conversion_failed', line: 1 });
  });

  it('is sent with the requested method and headers', async () => {
    const receiver = await receivers.openReceiver();
    const headers = { 'User-Agent': 'mine/1', Authorization: 'Bearer abc', 'X-Empty': '', 'X-Tenant': 'a b~!' };
    const { job_id } = await jobs.submitAsync({
      webhook_url: receiver.url,
      webhook_method: 'PUT',
      webhook_headers: headers,
    });
    const [callback] = await waitUntil('the callback comes', () =>
      receiver.forJob(job_id).length > 0 ? receiver.forJob(job_id) : null,
    );
    expect(callback).toMatchObject({
      method: 'PUT',
      headers: {
        'user-agent': 'mine/1',
        authorization: 'Bearer abc',
        'x-empty': '',
        'x-tenant': 'a b~!',
        'content-type': 'application/json',
      },
    });
  });

  it('shares its connection with other callbacks to the same receiver', async () => {
    const receiver = await receivers.openReceiver();
    for (let n = 0; n < 5; n += 1)
      await jobs.waitUntilJob(
        (await jobs.submit({ webhook_url: receiver.url })).job_id,
        'is delivered',
        ({ webhook_status }) => webhook_status === 'delivered',
      );
    expect(receiver.received).toHaveLength(5);
    // An unused connection is closed after a few seconds, which may be less than the time between two callbacks.
    expect(receiver.connectionCount()).toBeLessThan(5);
  });
});

describe('A signature', () => {
  it('is valid for the exact bytes, in both schemes; after a rotation both secrets sign', async () => {
    const receiver = await receivers.openReceiver();
    const next = async () => {
      const { job_id } = await jobs.submit({ webhook_url: receiver.url });
      return (
        await waitUntil('the callback comes', () =>
          receiver.forJob(job_id).length > 0 ? receiver.forJob(job_id) : null,
        )
      )[0]!;
    };
    const former = await secretOf();
    expect(former).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await secretOf()).toBe(former);
    const startedAt = Date.now();
    const before = await next();
    expect(before.headers['x-service-signature']).toBe(serviceSignature(former, before));
    expect(standardSignatures(before)).toEqual([standardSignature(former, before)]);
    expect(before.headers['webhook-id']).toBe(String(before.body.job_id).replace('job_', 'msg_'));
    const timestamp = Number(before.headers['webhook-timestamp']);
    expect(timestamp).toBeGreaterThanOrEqual(Math.floor(startedAt / 1000));
    expect(timestamp).toBeLessThanOrEqual(Date.now() / 1000);

    const present = await secretOf('--rotate');
    expect(present).not.toBe(former);
    const after = await next();
    expect(after.headers['x-service-signature']).toBe(serviceSignature(former, after));
    expect(after.headers['x-service-signature-all']).toBe(
      `${serviceSignature(present, after)} ${serviceSignature(former, after)}`,
    );
    expect(standardSignatures(after)).toEqual([standardSignature(present, after), standardSignature(former, after)]);
  });
});

describe('A redelivery', () => {
  it('sends the same bytes with the same webhook-id in a new round, and continues the count of attempts', async () => {
    const receiver = await receivers.openReceiver((_, nth) => (nth === 0 ? 410 : 204));
    const { job_id } = await jobs.submit({ webhook_url: receiver.url });
    const failed = await jobs.waitUntilJob(job_id, 'has failed', ({ webhook_status }) => webhook_status === 'failed');
    expect(failed).toMatchObject({
      status: 'DONE',
      webhook_attempts: 1,
      webhook_last_error: 'The receiver responded with status 410.',
      webhook_error: {
        error: 'webhook_failed',
        code: 500,
        webhook_url: receiver.url,
        attempts: 1,
        last_error: 'The receiver responded with status 410.',
      },
    });
    const again = await client.request('POST', `/api/v1/jobs/${job_id}/redeliver`);
    expect(again).toMatchObject({ status: 200, body: { job_id } });
    const delivered = await jobs.waitUntilJob(
      job_id,
      'is delivered',
      ({ webhook_status }) => webhook_status === 'delivered',
    );
    expect(delivered).toMatchObject({ webhook_attempts: 2 });
    expect(delivered).not.toHaveProperty('webhook_error');
    const [first, second] = receiver.forJob(job_id);
    expect(second!.bytes.equals(first!.bytes)).toBe(true);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
  });

  it('of all failed callbacks since a time sends neither earlier ones nor delivered ones again', async () => {
    let healthy = false;
    const receiver = await receivers.openReceiver(() => (healthy ? 200 : 404));
    const submit = async (): Promise<string> => (await jobs.submit({ webhook_url: receiver.url })).job_id;
    const failedAt = async (job_id: string): Promise<string> => {
      await jobs.waitUntilJob(job_id, 'has failed', ({ webhook_status }) => webhook_status === 'failed');
      return (await jobs.events(job_id)).find(({ type }) => type === 'WebhookFailed')!.time;
    };
    const early = await submit();
    await failedAt(early);
    const late = [await submit(), await submit()];
    const since = (await Promise.all(late.map(failedAt))).toSorted()[0]!;
    healthy = true;
    const response = await jobs.postJson('/api/v1/jobs/redeliver', { since });
    expect(response.body.redelivered).toBe(2);
    expect((response.body.job_ids as string[]).toSorted()).toEqual(late.toSorted());
    for (const job_id of late)
      await jobs.waitUntilJob(job_id, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');
    expect((await jobs.get(early)).webhook_status).toBe('failed');
    expect((await jobs.postJson('/api/v1/jobs/redeliver', { since })).body).toEqual({ redelivered: 0, job_ids: [] });
  });

  it('is rejected for a job without a callback, and for an invalid time', async () => {
    const { job_id } = await jobs.submitAsync();
    expectErrorResponse(await client.request('POST', `/api/v1/jobs/${job_id}/redeliver`), 'invalid_request', {
      field: 'job_id',
    });
    for (const since of ['lately', 5, null])
      expectErrorResponse(await jobs.postJson('/api/v1/jobs/redeliver', { since }), 'invalid_request', {
        field: 'since',
      });
    expectErrorResponse(await jobs.postJson('/api/v1/jobs/redeliver', {}), 'invalid_request', { field: 'since' });
  });
});

describe('A request with a callback', () => {
  const url = 'https://example.com/hook';
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'a']));

  it.each([
    ['http://example.com/', 'webhook_url', /https/],
    ['ftp://example.com/', 'webhook_url', /https/],
    [' https://example.com/', 'webhook_url', /white space/],
    ['https://example.com/o\nk', 'webhook_url', /white space/],
    ['example.com', 'webhook_url', /https/],
    ['', 'webhook_url', /https/],
    ['https://', 'webhook_url', /https/],
    ['https://user@example.com/', 'webhook_url', /user name/],
    ['https://:pass@example.com/', 'webhook_url', /user name/],
    [`${url}?${'x'.repeat(2048)}`, 'webhook_url', /at most 2048/],
    [17, 'webhook_url', /must be text/],
    [null, 'webhook_url', /must be text/],
    ['https://example.com:99999/', 'webhook_url', /https/],
  ])('is rejected for the URL %j (%#)', async (webhook_url, field, message) => {
    for (const path of ['/api/v1/render', '/api/v1/render/async']) {
      expect(
        expectErrorResponse(await jobs.postJson(path, { ...smallRequest, webhook_url }), 'invalid_request', { field })
          .message,
      ).toMatch(message);
    }
  });

  it.each(['GET', 'post', 'PATCH', '', 1])('is rejected for the method %j', async (webhook_method) => {
    expect(
      expectErrorResponse(
        await client.postRender({ ...smallRequest, webhook_url: url, webhook_method }),
        'invalid_request',
        {
          field: 'webhook_method',
        },
      ).message,
    ).toMatch(/POST, PUT/);
  });

  it.each<[string, unknown, string, RegExp]>([
    ...[
      'Host',
      'content-length',
      'Content-Type',
      'X-Service-Signature',
      'x-service-signature-all',
      'webhook-id',
      'Webhook-Anything',
      'traceparent',
      'Connection',
      'keep-alive',
      'TE',
      'Transfer-Encoding',
      'Upgrade',
      'Trailer',
      'Proxy-Authorization',
    ].map((name): [string, unknown, string, RegExp] => [
      name,
      { [name]: 'x' },
      `webhook_headers.${name}`,
      /cannot be chosen/,
    ]),
    ['a name with a space', { 'a b': 'x' }, 'webhook_headers.a b', /letters, digits/],
    ['an empty name', { '': 'x' }, 'webhook_headers.', /letters, digits/],
    ['a name beyond ASCII', { ä: 'x' }, 'webhook_headers.ä', /letters, digits/],
    ['a line break in a value', { a: 'x\r\nHost: evil' }, 'webhook_headers.a', /visible ASCII/],
    ['a value beyond ASCII', { a: 'ä' }, 'webhook_headers.a', /visible ASCII/],
    ['a space before a value', { a: ' x' }, 'webhook_headers.a', /visible ASCII/],
    ['a value of 1025 characters', { a: 'x'.repeat(1025) }, 'webhook_headers.a', /1024/],
    ['a value that is not text', { a: 1 }, 'webhook_headers.a', /must be text/],
    ['21 headers', many(21), 'webhook_headers', /at most 20 headers/],
    ['one header in two spellings', { 'X-A': '1', 'x-a': '2' }, 'webhook_headers', /twice/],
    ['a list', ['x'], 'webhook_headers', /record|object/],
  ])('is rejected for the headers: %s', async (_, webhook_headers, field, message) => {
    expect(
      expectErrorResponse(
        await client.postRender({ ...smallRequest, webhook_url: url, webhook_headers }),
        'invalid_request',
        { field },
      ).message,
    ).toMatch(message);
  });

  it('is accepted at the limit of every rule', async () => {
    const receiver = await receivers.openReceiver();
    const webhook_url = `${receiver.url}?${'x'.repeat(2048 - receiver.url.length - 1)}`;
    const { job_id } = await jobs.submit({
      webhook_url,
      webhook_method: 'POST',
      webhook_headers: { ...many(19), 'x-long': 'x'.repeat(1024) },
    });
    await jobs.waitUntilJob(job_id, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');
    expect(receiver.forJob(job_id)[0]!.headers['x-long']).toHaveLength(1024);
  });
});
