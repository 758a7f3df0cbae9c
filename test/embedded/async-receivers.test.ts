import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryResponse, RedeliverDeliveriesResponse, TestWebhookResponse } from '#contracts/http/deliveries.ts';
import type { JobResponse } from '#contracts/http/jobs.ts';
import type { WebhookSecretResponse } from '#contracts/http/webhook.ts';
import { createSelfSignedCertificate } from '#libs/egress/testing/certificates.ts';
import { startHttpServer, startHttpsServer, startTcpServer } from '#libs/egress/testing/test-servers.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { type JobClient, createJobClient } from '../support/client/job-client.ts';
import { freePort } from '../support/network/free-port.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { serviceSignature, standardSignature, standardSignatures } from '../support/webhooks/signatures.ts';

let receivers: WebhookReceivers;
const at = serviceForTestFile(async () => {
  receivers = await openWebhookReceivers();
  return receivers.settings;
});
let client: ApiClient;
let jobs: JobClient;
beforeAll(async () => {
  client = createClient(at.service.url, await createUnlimitedKey(at.installation));
  jobs = createJobClient(client);
});
afterAll(() => receivers.close());

/** The job after its first webhook attempt. */
const attempted = async (webhook_url: string): Promise<JobResponse> => {
  const { job_id } = await jobs.submit({ webhook_url });
  return jobs.waitUntilJob(job_id, 'was attempted', ({ webhook_attempts }) => webhook_attempts! > 0);
};
const here = (port: number): string => `https://127.0.0.1:${port}/hook`;
const isOpen = ({ webhook_status: status, webhook_error: error }: JobResponse): boolean =>
  (status === 'pending' || status === 'timeout') && error === undefined;

describe.concurrent('A callback whose receiver', () => {
  it('refuses connections is retried, and the job names the host', async () => {
    const job = await attempted(here(await freePort()));
    expect(job.webhook_last_error).toMatch(/^127\.0\.0\.1 .*refused/);
    expect(isOpen(job)).toBe(true);
  });

  it('resets the connection has that error', async () => {
    const server = receivers.closeWithReceivers(
      await startTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
    );
    expect((await attempted(here(server.port))).webhook_last_error).toMatch(/TLS|closed|reset/i);
  });

  it('does not use TLS has that error', async () => {
    const server = receivers.closeWithReceivers(await startHttpServer((_, response) => response.end('plain')));
    expect((await attempted(here(server.port))).webhook_last_error).toMatch(/TLS/);
  });

  it('has an untrusted or expired certificate, or one for another host, has that error', async () => {
    const own = receivers.closeWithReceivers(
      await startHttpsServer(await createSelfSignedCertificate('127.0.0.1'), (_, response) => response.end()),
    );
    const other = receivers.closeWithReceivers(
      await startHttpsServer(await receivers.authority.issue('example.com'), (_, response) => response.end()),
    );
    const expired = receivers.closeWithReceivers(
      await startHttpsServer(await receivers.authority.issue('127.0.0.1', new Date(Date.now() - 1000)), (_, response) =>
        response.end(),
      ),
    );
    for (const { port } of [own, other, expired])
      expect((await attempted(here(port))).webhook_last_error).toMatch(/certificate/i);
  });

  it('redirects has failed at once, and the redirect is not followed', async () => {
    const elsewhere = await receivers.openReceiver();
    const receiver = await receivers.openReceiver(
      () => (_, response) =>
        void response.writeHead(307, { location: elsewhere.url.replace('127.0.0.1', '127.0.0.2') }).end(),
    );
    const job = await attempted(receiver.url);
    const failed = await jobs.waitUntilJob(
      job.job_id,
      'has failed',
      ({ webhook_status }) => webhook_status === 'failed',
    );
    expect(failed).toMatchObject({
      webhook_attempts: 1,
      webhook_error: { error: 'webhook_failed', attempts: 1, last_error: 'The receiver responded with status 307.' },
    });
    expect(elsewhere.connectionCount()).toBe(0);
  });

  it.each([302, 400, 401, 404, 410, 429])('responds with %i has failed at once', async (status) => {
    const receiver = await receivers.openReceiver(() => status);
    const { job_id } = await jobs.submit({ webhook_url: receiver.url });
    expect(
      await jobs.waitUntilJob(job_id, 'has failed', ({ webhook_status }) => webhook_status === 'failed'),
    ).toMatchObject({
      webhook_attempts: 1,
      webhook_error: { last_error: `The receiver responded with status ${status}.` },
    });
  });

  it('responds with 200 and an endless body is delivered, and only the start of the body is stored', async () => {
    const receiver = await receivers.openReceiver(() => (_, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const { job_id } = await jobs.submit({ webhook_url: receiver.url });
    await jobs.waitUntilJob(job_id, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');
    const { outcome } = (await jobs.events(job_id)).find(({ type }) => type === 'WebhookAttempted')!.data as {
      outcome: { response_body: string };
    };
    expect(outcome.response_body).toBe('x'.repeat(2048));
  });

  it('responds with 200 and sends its body slowly is delivered once', async () => {
    const receiver = await receivers.openReceiver(() => (_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 100);
      response.once('close', () => clearInterval(drip));
    });
    const { job_id } = await jobs.submit({ webhook_url: receiver.url });
    const job = await jobs.waitUntilJob(job_id, 'was attempted', ({ webhook_attempts }) => webhook_attempts! > 0);
    expect(job).toMatchObject({ webhook_status: 'delivered', webhook_attempts: 1 });
    expect(receiver.forJob(job_id)).toHaveLength(1);
  });

  it('responds with 200 and breaks off its body is delivered', async () => {
    const receiver = await receivers.openReceiver(() => (_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy());
    });
    expect(await attempted(receiver.url)).toMatchObject({ webhook_status: 'delivered', webhook_attempts: 1 });
  });

  it('responds after 11 seconds has timed out, and is retried', async () => {
    let late: NodeJS.Timeout | undefined;
    const receiver = await receivers.openReceiver((_, nth) =>
      nth > 0 ? 200 : (__, response) => void (late = setTimeout(() => response.end(), 11_000)),
    );
    const job = await attempted(receiver.url);
    expect(job).toMatchObject({
      webhook_status: 'timeout',
      webhook_last_error: '127.0.0.1 accepted the request and did not respond within 10 s.',
    });
    expect(
      await jobs.waitUntilJob(job.job_id, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered'),
    ).toMatchObject({ webhook_attempts: 2 });
    clearTimeout(late);
  });

  it('responds with 503 is retried at the announced time, with the same bytes and the same id', async () => {
    const receiver = await receivers.openReceiver((_, nth) => (nth === 0 ? 503 : 200));
    const job = await attempted(receiver.url);
    expect(job).toMatchObject({
      webhook_status: 'pending',
      webhook_last_error: 'The receiver responded with status 503.',
    });
    const delivered = await jobs.waitUntilJob(
      job.job_id,
      'is delivered',
      ({ webhook_status }) => webhook_status === 'delivered',
    );
    expect(delivered).toMatchObject({ webhook_attempts: 2 });
    const [first, second] = receiver.forJob(job.job_id);
    expect([second!.bytes.equals(first!.bytes), second!.headers['webhook-id']]).toEqual([
      true,
      first!.headers['webhook-id'],
    ]);
    const events = await jobs.events(job.job_id);
    const announced = events.find(({ type }) => type === 'WebhookAttempted')!.data['next_attempt_at'];
    const retry = events.filter(({ type }) => type === 'WebhookAttemptStarted')[1]!;
    expect(Date.parse(retry.time)).toBeGreaterThanOrEqual(Date.parse(String(announced)));
  });
});

describe.concurrent('A webhook address that is not public', () => {
  it.each([
    '127.0.0.2',
    '127.1.1',
    '0x7f.0.0.2',
    '0177.0.0.2',
    '2130706434',
    '127.0.0.2.',
    '[::1]',
    '[::ffff:127.0.0.2]',
    '[::ffff:7f00:2]',
    '[64:ff9b::7f00:2]',
    '[2002:7f00:2::1]',
    '0.0.0.0',
    '[::]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '224.0.0.1',
    '[fc00::1]',
    '[fe80::1]',
    '１２７.0.0.2',
    '127。0。0。2',
    '%31%32%37.0.0.2',
    'localhost',
    'localhost.',
    'LOCALHOST',
  ])('written as %s is not called, and the job says why', async (host) => {
    const sentinel = await receivers.openReceiver();
    const job = await attempted(`https://${host}:${sentinel.port}/hook`);
    expect(job.webhook_last_error).toMatch(/is not a public address\.$|does not exist or has no public address\.$/);
    expect(sentinel.connectionCount()).toBe(0);
  });

  it('gives the same job and events as a name that does not exist', async () => {
    const attemptOf = async (host: string): Promise<string> => {
      const job = await attempted(`https://${host}/hook`);
      const { outcome } = (await jobs.events(job.job_id)).find(({ type }) => type === 'WebhookAttempted')!.data as {
        outcome: unknown;
      };
      const { webhook_status, webhook_last_error } = job;
      return JSON.stringify({ outcome, webhook_status, webhook_last_error }).replaceAll(host, 'HOST');
    };
    const [inside, nowhere] = await Promise.all([attemptOf('inside.localhost'), attemptOf('nowhere.invalid')]);
    expect(inside).toContain('The host HOST does not exist or has no public address.');
    expect(inside).toBe(nowhere);
  });
});

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
