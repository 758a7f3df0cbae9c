import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobResponse } from '#contracts/http/jobs.ts';
import { bareId, streams } from '#contracts/names.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { type JobClient, createJobClient, smallRequest } from '../support/client/job-client.ts';
import { readStoredText } from '../support/service/stored-text.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';

const headerSecret = 'canary-r5T1v3N0';
const querySecret = 'canary-p4M8w6Y3';
const pathSecret = 'canary-k9Q2z7X1';
const canary = /canary-/;
const headers = { Authorization: `Bearer ${headerSecret}`, 'X-Tenant': 'canary-7' };
const secretUrl = (url: string): string => url.replace('/hook', `/hook/${pathSecret}?key=${querySecret}`);
const shownUrl = (url: string): string => url.replace('/hook', '/hook/***?key=***');

let receivers: WebhookReceivers;
let installation: TestInstallation;
let service: RunningService;
let key: string;
let client: ApiClient;
let jobs: JobClient;
let logs = '';

const start = async (): Promise<void> => {
  service = await installation.start();
  client = createClient(service.url, key);
  jobs = createJobClient(client);
};
const stop = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
  const { stdout, stderr } = await service.stop(signal);
  logs += stdout + stderr;
};

beforeAll(async () => {
  receivers = await openWebhookReceivers();
  installation = await openTestInstallation({ ...receivers.settings, LOG_LEVEL: 'trace' });
  key = await createUnlimitedKey(installation);
  await start();
});
afterAll(async () => {
  await installation.remove();
  await receivers.close();
});

const ended = (job: JobResponse): boolean => job.webhook_status === 'delivered' || job.webhook_status === 'failed';
const history = (jobId: string) =>
  withInstallationEngines(installation, ({ store }) => store.read(streams.delivery(bareId('job', jobId)!)));
const erased = (jobId: string) =>
  waitUntil('the secrets are erased', async () =>
    (await jobs.events(jobId)).findLast(({ type }) => type === 'WebhookTargetErased'),
  );

describe('A redelivery of a callback whose secrets are erased', () => {
  it('needs them again, says which, and seals and erases them again', async () => {
    const receiver = await receivers.openReceiver((_, nth) => (nth === 0 ? 404 : 200));
    const { job_id } = await jobs.submit({ webhook_url: secretUrl(receiver.url), webhook_headers: headers });
    const failed = await jobs.waitUntilJob(job_id, 'has failed', ended);
    expect(failed.webhook_error).toMatchObject({ webhook_url: shownUrl(receiver.url) });
    const path = `/api/v1/jobs/${job_id}/redeliver`;
    expectErrorResponse(await client.request('POST', path), 'webhook_target_erased', {
      missing_fields: ['webhook_url', 'webhook_headers'],
    });
    expectErrorResponse(await jobs.postJson(path, { webhook_headers: {} }), 'webhook_target_erased', {
      missing_fields: ['webhook_url'],
    });
    expectErrorResponse(await jobs.postJson(path, { webhook_url: 'http://example.com' }), 'invalid_request', {
      field: 'webhook_url',
    });
    expectErrorResponse(await jobs.postJson(path, { url: receiver.url }), 'invalid_request');
    // What the job shows cannot be sent back.
    expectErrorResponse(
      await jobs.postJson(path, { webhook_url: failed.webhook_url, webhook_headers: headers }),
      'invalid_request',
      { field: 'webhook_url' },
    );
    expectErrorResponse(
      await jobs.postJson(path, { webhook_url: receiver.url, webhook_headers: { Authorization: '***' } }),
      'invalid_request',
      { field: 'webhook_headers.Authorization' },
    );

    const again = await jobs.postJson(path, {
      webhook_url: secretUrl(receiver.url),
      webhook_headers: headers,
      webhook_method: 'PUT',
    });
    expect(again.status, again.text).toBe(200);
    await jobs.waitUntilJob(job_id, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');
    expect(receiver.forJob(job_id)[1]).toMatchObject({
      method: 'PUT',
      path: `/hook/${pathSecret}?key=${querySecret}`,
      headers: { authorization: headers.Authorization },
    });
    const { data } = await waitUntil(
      'both are erased',
      async () => (await jobs.events(job_id)).filter(({ type }) => type === 'WebhookTargetErased')[1],
    );
    expect(await withInstallationEngines(installation, ({ blobs }) => blobs.has(String(data.sha256)))).toBe(false);
    expect(JSON.stringify(await history(job_id))).not.toMatch(canary);
  });

  it('can go to a URL without secrets, which the job then shows, and which needs no body later', async () => {
    const [one, other] = [
      await receivers.openReceiver(() => 404),
      await receivers.openReceiver((_, nth) => (nth === 0 ? 404 : 200)),
    ];
    const { job_id } = await jobs.submit({ webhook_url: one.url, webhook_headers: headers });
    await jobs.waitUntilJob(job_id, 'has failed', ended);
    expect(
      (await jobs.postJson(`/api/v1/jobs/${job_id}/redeliver`, { webhook_url: other.url, webhook_headers: {} })).status,
    ).toBe(200);
    expect(
      await jobs.waitUntilJob(
        job_id,
        'has failed again',
        ({ webhook_attempts, webhook_status }) => webhook_attempts === 2 && webhook_status === 'failed',
      ),
    ).toMatchObject({ webhook_url: other.url });
    expect((await client.request('POST', `/api/v1/jobs/${job_id}/redeliver`)).status).toBe(200);
    await jobs.waitUntilJob(job_id, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');
    expect([one.received.length, other.received.length]).toEqual([1, 2]);
    expect(other.received[0]!.headers).not.toHaveProperty('authorization');
  });

  it('is rejected with another URL while an attempt is running', async () => {
    const held: (() => void)[] = [];
    const receiver = await receivers.openReceiver(() => (_, response) => void held.push(() => void response.end()));
    const { job_id } = await jobs.submit({ webhook_url: receiver.url });
    await waitUntil('the attempt is under way', () => held.length > 0);
    expectErrorResponse(
      await jobs.postJson(`/api/v1/jobs/${job_id}/redeliver`, { webhook_url: receiver.url }),
      'redelivery_conflict',
    );
    expect((await client.request('POST', `/api/v1/jobs/${job_id}/redeliver`)).status).toBe(200);
    held.forEach((respond) => respond());
    await jobs.waitUntilJob(job_id, 'is delivered', ended);
  });

  it('is skipped and listed when all failed callbacks are redelivered', async () => {
    const own = createClient(service.url, await createUnlimitedKey(installation));
    const ownJobs = createJobClient(own);
    const since = new Date(Date.now() - 60_000).toISOString();
    const receiver = await receivers.openReceiver((_, nth) => (nth === 0 ? 404 : 200));
    const sealed = (await ownJobs.submit({ webhook_url: receiver.url, webhook_headers: headers })).job_id;
    const open = (await ownJobs.submit({ webhook_url: receiver.url })).job_id;
    for (const jobId of [sealed, open]) await ownJobs.waitUntilJob(jobId, 'has failed', ended);
    expect((await ownJobs.postJson('/api/v1/jobs/redeliver', { since })).body).toEqual({
      redelivered: 1,
      job_ids: [open],
      erased_job_ids: [sealed],
    });
  });
});

// The last one, because the service is not started again.
describe('The headers and URL of a callback', () => {
  it('reach the receiver, also after a restart, and are not in event log, read models, responses or logs', async () => {
    const receiver = await receivers.openReceiver((received, nth) =>
      nth === 0 ? (_, response) => response.writeHead(503).end(JSON.stringify([received.headers, received.path])) : 200,
    );
    const body = { ...smallRequest, webhook_url: secretUrl(receiver.url), webhook_headers: headers };
    const queued = await jobs.postJson('/api/v1/render', body, { 'idempotency-key': 'canary' });
    expect(queued.body.webhook_url).toBe(secretUrl(receiver.url));
    expect((await jobs.postJson('/api/v1/render', body, { 'idempotency-key': 'canary' })).text).toBe(queued.text);
    const jobId = String(queued.body.job_id);
    await jobs.waitUntilJob(jobId, 'was attempted', ({ webhook_attempts }) => webhook_attempts === 1);
    await stop('SIGKILL');
    expect((await readStoredText(installation)).filter((kept) => canary.test(kept))).toEqual([]);

    await start();
    const job = await jobs.waitUntilJob(jobId, 'is delivered', ended);
    expect(job).toMatchObject({
      webhook_status: 'delivered',
      webhook_attempts: 2,
      webhook_url: shownUrl(receiver.url),
    });
    const [first, second] = receiver.forJob(jobId);
    for (const received of [first!, second!]) {
      expect(received).toMatchObject({
        path: `/hook/${pathSecret}?key=${querySecret}`,
        headers: { authorization: headers.Authorization, 'x-tenant': headers['X-Tenant'] },
      });
    }
    const { data } = await erased(jobId);
    expect(await withInstallationEngines(installation, ({ blobs }) => blobs.has(String(data.sha256)))).toBe(false);

    const events = await client.request('GET', `/api/v1/jobs/${jobId}/events`);
    expect(events.text).toContain('"Authorization":"***"');
    for (const response of [
      events,
      await client.request('GET', `/api/v1/jobs/${jobId}`),
      await client.request('GET', '/api/v1/jobs'),
    ])
      expect(response.text).not.toMatch(canary);
    for (const stream of [streams.render, streams.delivery])
      expect((await installation.runCommand('events', stream(bareId('job', jobId)!), '--raw')).stdout).not.toMatch(
        canary,
      );
    expect((await installation.runCommand('rebuild', 'deliveries')).code).toBe(0);
    expect(await jobs.get(jobId)).toMatchObject({ webhook_url: shownUrl(receiver.url) });
    await stop('SIGTERM');
    expect(logs).not.toMatch(canary);
    expect((await readStoredText(installation)).filter((kept) => canary.test(kept))).toEqual([]);
  });
});
