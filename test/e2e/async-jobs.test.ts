import { beforeAll, describe, expect, it } from 'vitest';
import { jobResponse, jobHistoryResponse, jobListResponse } from '#contracts/http/jobs.ts';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { type JobClient, createJobClient, smallRequest } from '../support/client/job-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let client: ApiClient;
let jobs: JobClient;
let otherAccount: ApiClient;
beforeAll(async () => {
  client = createClient(at.service.url, await createUnlimitedKey(at.installation));
  otherAccount = createClient(at.service.url, await createUnlimitedKey(at.installation));
  jobs = createJobClient(client);
});

const broken = { ...smallRequest, data: '<p>never closed <!-- ' };

describe('POST /render/async', () => {
  it('responds at once with a job, which ends with a PDF that can be downloaded for an hour', async () => {
    const queued = await jobs.submitAsync();
    expect(queued).toEqual({
      id: expect.stringMatching(/^render_[0-9A-Z]{26}$/),
      job_id: queued.id.replace('render', 'job'),
      status: 'QUEUED',
      estimated_time_ms: expect.any(Number),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const done = await jobs.waitUntilEnded(queued.job_id);
    expect(jobResponse.strict().parse(done)).toMatchObject({
      job_id: queued.job_id,
      id: queued.id,
      status: 'DONE',
      mode: 'CONVERT',
      input_type: 'html',
      pages: 1,
      created_at: queued.created_at,
    });
    expect(done.pdf_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(Date.parse(done.pdf_expires_at!) - Date.parse(done.completed_at!)).toBeGreaterThan(3_599_000);
    expect(Date.parse(done.pdf_expires_at!) - Date.parse(done.completed_at!)).toBeLessThanOrEqual(3_600_000);
    expect(Date.parse(done.started_at!)).toBeGreaterThanOrEqual(Date.parse(queued.created_at));
    expect(done).not.toHaveProperty('webhook_status');
  });

  it('shows a failed render as FAILED, with the error of a synchronous render', async () => {
    const failed = await jobs.waitUntilEnded((await jobs.submitAsync({}, broken)).job_id);
    expect(failed).toMatchObject({
      status: 'FAILED',
      error: 'invalid_html',
      message: expect.stringMatching(/comment/),
      failed_at: expect.any(String),
    });
    expect(failed).not.toHaveProperty('pdf_url');
    expect(failed).not.toHaveProperty('completed_at');
  });

  it('estimates the time from earlier renders and from the queue', async () => {
    await jobs.waitUntilEnded((await jobs.submitAsync()).job_id);
    const burst = await Promise.all(Array.from({ length: 10 }, () => jobs.submitAsync()));
    const estimates = burst.map(({ estimated_time_ms: ms }) => ms);
    expect(Math.min(...estimates)).toBeGreaterThan(0);
    expect(Math.max(...estimates)).toBeGreaterThan(Math.min(...estimates));
    await Promise.all(burst.map(({ job_id }) => jobs.waitUntilEnded(job_id)));
  });

  it('rejects a method or headers for a callback without a URL', async () => {
    for (const [field, value] of [
      ['webhook_method', 'PUT'],
      ['webhook_headers', { a: 'b' }],
    ] as const) {
      expectErrorResponse(
        await jobs.postJson('/api/v1/render/async', { ...smallRequest, [field]: value }),
        'invalid_request',
        { field },
      );
      expectErrorResponse(await client.postRender({ ...smallRequest, [field]: value }), 'invalid_request', { field });
    }
  });
});

describe('GET /jobs', () => {
  it('returns the jobs of the account, newest first, in pages that new jobs do not change', async () => {
    const key = await createUnlimitedKey(at.installation);
    const own = createJobClient(createClient(at.service.url, key));
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1) made.unshift((await own.submitAsync()).job_id);
    const page = async (query: string) =>
      jobListResponse.parse((await createClient(at.service.url, key).request('GET', `/api/v1/jobs?${query}`)).body);
    const first = await page('limit=3');
    const newer = await own.submitAsync();
    const second = await page(`limit=3&cursor=${first.next_cursor}`);
    const third = await page(`limit=3&cursor=${second.next_cursor}`);
    expect([first, second, third].flatMap((one) => one.jobs.map(({ job_id }) => job_id))).toEqual(made);
    expect(third.next_cursor).toBeNull();
    expect((await page('limit=1')).jobs[0]!.job_id).toBe(newer.job_id);
  });

  it('filters by status and by time, and omits synchronous renders', async () => {
    const own = createClient(at.service.url, await createUnlimitedKey(at.installation));
    const ownJobs = createJobClient(own);
    await own.render('html', '<p>waited for');
    const done = await ownJobs.waitUntilEnded((await ownJobs.submitAsync()).job_id);
    const failed = await ownJobs.waitUntilEnded((await ownJobs.submitAsync({}, broken)).job_id);
    const ids = async (query: string) =>
      jobListResponse.parse((await own.request('GET', `/api/v1/jobs?${query}`)).body).jobs.map(({ job_id }) => job_id);
    expect(await ids('')).toEqual([failed.job_id, done.job_id]);
    expect(await ids('status=FAILED')).toEqual([failed.job_id]);
    expect(await ids('status=DONE')).toEqual([done.job_id]);
    expect(await ids('status=QUEUED')).toEqual([]);
    expect(await ids(`since=${failed.created_at}`)).toEqual([failed.job_id]);
    expect(await ids(`until=${failed.created_at}`)).toEqual([done.job_id]);
    expect(await ids('since=2999-01-01')).toEqual([]);
  });

  it.each([
    ['status=READY', 'status'],
    ['since=yesterday', 'since'],
    ['until=2026-01-01T10:00:00', 'until'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=a', 'limit'],
    ['cursor=job_x', 'cursor'],
    ['cursor=render_01JQZX3C5V8Y2N6T4R7W9K0MHB', 'cursor'],
    ['page=2', 'page'],
  ])('rejects %s and says what is allowed', async (query, field) => {
    const { message } = expectErrorResponse(await client.request('GET', `/api/v1/jobs?${query}`), 'invalid_request', {
      field,
    });
    expect(message).not.toMatch(/Invalid input/);
  });
});

describe('GET /jobs/{job_id}/events', () => {
  it('returns the whole history with time, actor and request id', async () => {
    const { job_id } = await jobs.submitAsync();
    await jobs.waitUntilEnded(job_id);
    const { events } = jobHistoryResponse.parse((await client.request('GET', `/api/v1/jobs/${job_id}/events`)).body);
    expect(events.map(({ type }) => type)).toEqual(['RenderRequested', 'RenderStarted', 'RenderCompleted']);
    expect(events.map(({ actor }) => actor.kind)).toEqual(['key', 'service', 'service']);
    expect(new Set(events.map(({ request_id }) => request_id)).size).toBe(1);
  });
});

describe('A job that the caller cannot read', () => {
  it('gives the same 404 if it belongs to another account, was never created, or has an invalid id', async () => {
    const { job_id } = await jobs.submitAsync();
    await jobs.waitUntilEnded(job_id);
    const asked = (path: string) => otherAccount.request(path.endsWith('redeliver') ? 'POST' : 'GET', path);
    const bodies = new Set<string>();
    for (const id of [
      job_id,
      'job_01JQZX3C5V8Y2N6T4R7W9K0MHB',
      job_id.replace('job', 'render'),
      'job_',
      'nonsense',
      `${job_id}0`,
      encodeURIComponent('../x'),
    ]) {
      for (const path of ['', '/events', '/redeliver']) {
        const { request_id: _, ...body } = expectErrorResponse(
          await asked(`/api/v1/jobs/${id}${path}`),
          'job_not_found',
        );
        bodies.add(JSON.stringify(body));
      }
    }
    expect(bodies.size).toBe(1);
  });

  it('gives an error for a request without a key or without the permission', async () => {
    const { key } = await issueKey(
      at.installation,
      await openAccount(at.installation),
      '--permissions',
      'render:create',
    );
    for (const path of [
      '/api/v1/jobs',
      '/api/v1/jobs/job_01JQZX3C5V8Y2N6T4R7W9K0MHB',
      '/api/v1/jobs/job_01JQZX3C5V8Y2N6T4R7W9K0MHB/events',
    ]) {
      expectErrorResponse(await createClient(at.service.url, null).request('GET', path), 'missing_authorization');
      expectErrorResponse(await createClient(at.service.url, key).request('GET', path), 'insufficient_permissions', {
        required_permission: 'jobs:read',
      });
    }
  });
});
