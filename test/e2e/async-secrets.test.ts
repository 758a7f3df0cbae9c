import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobResponse } from '#contracts/http/jobs.ts';
import { bareId, streams } from '#contracts/names.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { type JobClient, createJobClient } from '../support/client/job-client.ts';
import { canary, headers, secretPath, secretUrl, shownUrl } from '../support/webhooks/secret-target.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

let receivers: WebhookReceivers;
let client: ApiClient;
let jobs: JobClient;
const at = serviceForTestFile(async () => {
  receivers = await openWebhookReceivers();
  return receivers.settings;
});
beforeAll(async () => {
  client = createClient(at.service.url, await createUnlimitedKey(at.installation));
  jobs = createJobClient(client);
});
afterAll(() => receivers.close());

const ended = (job: JobResponse): boolean => job.webhook_status === 'delivered' || job.webhook_status === 'failed';
const history = (jobId: string) =>
  withInstallationEngines(at.installation, ({ store }) => store.read(streams.delivery(bareId('job', jobId)!)));

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
      path: secretPath,
      headers: { authorization: headers.Authorization },
    });
    const { data } = await waitUntil(
      'both are erased',
      async () => (await jobs.events(job_id)).filter(({ type }) => type === 'WebhookTargetErased')[1],
    );
    expect(await withInstallationEngines(at.installation, ({ blobs }) => blobs.has(String(data.sha256)))).toBe(false);
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
    const own = createClient(at.service.url, await createUnlimitedKey(at.installation));
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
