import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryResponse, RedeliverDeliveriesResponse, TestWebhookResponse } from '#contracts/http/deliveries.ts';
import type { WebhookSecretResponse } from '#contracts/http/webhook.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { createJobClient, type JobClient } from '../support/client/job-client.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { serviceSignature, standardSignature, standardSignatures } from '../support/webhooks/signatures.ts';

let receivers: WebhookReceivers;
const at = serviceForTestFile(async () => {
  receivers = await openWebhookReceivers();
  return receivers.settings;
});
let account: string;
let client: ApiClient;
let jobs: JobClient;
beforeAll(async () => {
  // Asking for the state of jobs counts toward the rate limit.
  account = await openAccount(at.installation, '--requests-per-minute', '100000');
  client = createClient(at.service.url, (await issueKey(at.installation, account)).key);
  jobs = createJobClient(client);
});
afterAll(() => receivers.close());

const request = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const response = await client.request(
    method,
    path,
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
  );
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return response.body as T;
};
const test = (url: string, more: object = {}) =>
  request<TestWebhookResponse>('POST', '/api/v1/webhooks/test', { url, ...more });

describe('A test callback', () => {
  it('reaches a receiver with valid signatures, as every callback does', async () => {
    const receiver = await receivers.openReceiver(() => (_, response) => {
      response.writeHead(202, { 'content-type': 'text/html' }).end('<script>seen</script>');
    });
    const { secret } = await request<WebhookSecretResponse>('GET', '/api/v1/webhook-secret');
    const result = await test(receiver.url, { method: 'PUT', headers: { 'X-Tenant': 'k9Q2z7X1' } });
    const [sent, ...more] = receiver.received as [(typeof receiver.received)[0]];
    expect(more).toEqual([]);
    expect(sent).toMatchObject({ method: 'PUT', headers: { 'x-tenant': 'k9Q2z7X1' }, body: { test: true } });
    expect(sent.headers['x-service-signature']).toBe(serviceSignature(secret, sent));
    expect(standardSignatures(sent)).toEqual([standardSignature(secret, sent)]);
    expect(result).toMatchObject({
      delivered: true,
      request: { body: sent.bytes.toString(), headers: { 'x-service-signature': serviceSignature(secret, sent) } },
      response: {
        status: 202,
        headers: { 'content-type': 'text/html' },
        body: '<script>seen</script>',
      },
    });
  });

  it('goes to no private address, and follows no redirect', async () => {
    const elsewhere = await receivers.openReceiver();
    const redirecting = await receivers.openReceiver(() => (_, response) => {
      response.writeHead(307, { location: elsewhere.url }).end();
    });
    expect(await test(redirecting.url)).toMatchObject({ delivered: false, response: { status: 307 } });
    expect(elsewhere.connectionCount()).toBe(0);
    for (const url of ['https://127.0.0.2/', 'https://169.254.169.254/latest', 'https://[::1]/'])
      expect(await test(url)).toMatchObject({ delivered: false, response: null, error: { kind: 'blocked' } });
  });
});

describe('A failed callback', () => {
  it('shows its request and response, and is sent again with all others that failed since a time', async () => {
    let status = 410;
    const receiver = await receivers.openReceiver(() => (_, response) => {
      response.writeHead(status, { 'x-answer': String(status), 'set-cookie': 'session=p4M8w6Y3' }).end('gone');
    });
    const failed_since = new Date(Date.now() - 60_000).toISOString();
    const sent = await Promise.all([1, 2, 3].map(() => jobs.submit({ webhook_url: receiver.url })));
    const ids = sent.map(({ job_id }) => job_id);
    for (const id of ids) await jobs.waitUntilJob(id, 'has failed', (job) => job.webhook_status === 'failed');
    const read = (id: string) => request<DeliveryResponse>('GET', `/api/v1/deliveries/${id}`);
    const failed = await read(ids[0]!);
    expect(failed.body).toBe(receiver.forJob(ids[0])[0]!.bytes.toString());
    expect(failed.rounds[0]!.attempts[0]).toMatchObject({
      request: { method: 'POST', url: receiver.url, headers: { 'x-service-signature': '***' } },
      response: { status: 410, headers: { 'x-answer': '410', 'set-cookie': '***' }, body: 'gone' },
    });
    status = 204;
    const redelivered = await request<RedeliverDeliveriesResponse>('POST', '/api/v1/deliveries/redeliver', {
      failed_since,
      url: receiver.url,
    });
    expect(redelivered).toMatchObject({ matching: 3, redelivered: 3, has_more: false });
    for (const id of ids) {
      await jobs.waitUntilJob(id, 'is delivered', (job) => job.webhook_status === 'delivered');
      const [first, second, ...more] = receiver.forJob(id);
      expect(more).toEqual([]);
      expect(second!.bytes.equals(first!.bytes)).toBe(true);
      expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      expect((await read(id)).rounds.map(({ round, attempts }) => [round, attempts.length])).toEqual([
        [2, 1],
        [1, 1],
      ]);
    }
  });
});

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

const readKept = async (history: string): Promise<Buffer> => {
  const files = await Promise.all((await filesIn(at.installation.dataDir)).map((file) => readFile(file)));
  return Buffer.concat([Buffer.from(history), Buffer.from(at.service.output()), ...files]);
};

it('The webhook secret is in no log line, event, document or file', async () => {
  const first = await request<WebhookSecretResponse>('GET', '/api/v1/webhook-secret');
  const second = await request<WebhookSecretResponse>('POST', '/api/v1/webhook-secret/rotate');
  expect(second.previous.map(({ secret }) => secret)).toEqual([first.secret]);
  const receiver = await receivers.openReceiver();
  const { job_id } = await jobs.submit({ webhook_url: receiver.url });
  await jobs.waitUntilJob(job_id, 'is delivered', (job) => job.webhook_status === 'delivered');
  await test(receiver.url);
  const history = JSON.stringify(await request('GET', '/api/v1/account/events'));
  const kept = await readKept(history);
  expect(kept.includes('WebhookSecretRotated')).toBe(true);
  expect(kept.includes(job_id)).toBe(true);
  for (const { secret } of [first, second]) {
    const text = secret.slice('whsec_'.length);
    expect(kept.includes(text)).toBe(false);
    expect(kept.includes(Buffer.from(text, 'base64'))).toBe(false);
    expect(kept.includes(encodeURIComponent(text))).toBe(false);
  }
});
