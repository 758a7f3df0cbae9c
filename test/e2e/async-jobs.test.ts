import { beforeAll, describe, expect, it } from 'vitest';
import { job, jobHistory, jobList } from '#contracts/http/jobs.ts';
import { freeKey, issueKey, openAccount } from './accounts.ts';
import { type Client, clientOf } from './client.ts';
import { type Jobs, jobsOf, small } from './jobs.ts';
import { expectRefusal } from './refusals.ts';
import { serviceForFile } from './service.ts';

const at = serviceForFile();
let client: Client;
let jobs: Jobs;
let stranger: Client;
beforeAll(async () => {
  client = clientOf(at.service.url, await freeKey(at.house));
  stranger = clientOf(at.service.url, await freeKey(at.house));
  jobs = jobsOf(client);
});

const broken = { ...small, data: '<p>never closed <!-- ' };

describe('POST /render/async', () => {
  it('answers at once with a job, which ends with a PDF that can be fetched for an hour', async () => {
    const queued = await jobs.later();
    expect(queued).toEqual({
      id: expect.stringMatching(/^render_[0-9A-Z]{26}$/), job_id: queued.id.replace('render', 'job'), status: 'QUEUED',
      estimated_time_ms: expect.any(Number), created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const done = await jobs.ended(queued.job_id);
    expect(job.strict().parse(done)).toMatchObject({ job_id: queued.job_id, id: queued.id, status: 'DONE', mode: 'CONVERT', input_type: 'html', pages: 1, created_at: queued.created_at });
    expect(done.pdf_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(Date.parse(done.pdf_expires_at!) - Date.parse(done.completed_at!)).toBeGreaterThan(3_599_000);
    expect(Date.parse(done.pdf_expires_at!) - Date.parse(done.completed_at!)).toBeLessThanOrEqual(3_600_000);
    expect(Date.parse(done.started_at!)).toBeGreaterThanOrEqual(Date.parse(queued.created_at));
    expect(done).not.toHaveProperty('webhook_status');
  });

  it('shows a document that could not be made as FAILED, with the error that a synchronous caller would have had', async () => {
    const failed = await jobs.ended((await jobs.later({}, broken)).job_id);
    expect(failed).toMatchObject({ status: 'FAILED', error: 'invalid_html', message: expect.stringMatching(/comment/), failed_at: expect.any(String) });
    expect(failed).not.toHaveProperty('pdf_url');
    expect(failed).not.toHaveProperty('completed_at');
  });

  it('estimates from what was rendered before, and not the same for every queue', async () => {
    await jobs.ended((await jobs.later()).job_id);
    const burst = await Promise.all(Array.from({ length: 60 }, () => jobs.later()));
    const estimates = burst.map(({ estimated_time_ms: ms }) => ms);
    expect(Math.min(...estimates)).toBeGreaterThan(0);
    expect(Math.max(...estimates)).toBeGreaterThan(Math.min(...estimates));
    await Promise.all(burst.map(({ job_id }) => jobs.ended(job_id)));
  });

  it('refuses what says how to call back and not whom', async () => {
    for (const [field, value] of [['webhook_method', 'PUT'], ['webhook_headers', { a: 'b' }]] as const) {
      expectRefusal(await jobs.postTo('/api/v1/render/async', { ...small, [field]: value }), 'invalid_request', { field });
      expectRefusal(await client.post({ ...small, [field]: value }), 'invalid_request', { field });
    }
  });

  it('passes through QUEUED and PROCESSING', async () => {
    const { job_id } = await jobs.later({ wait_time: 1500 });
    const processing = await jobs.when(job_id, 'is taken up', ({ status }) => status === 'PROCESSING');
    expect(processing.started_at).toBeDefined();
    expect((await jobs.ended(job_id)).status).toBe('DONE');
  });
});

describe('GET /jobs', () => {
  it('gives own jobs, newest first, in pages that stay put while new jobs arrive', async () => {
    const key = await freeKey(at.house);
    const own = jobsOf(clientOf(at.service.url, key));
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1) made.unshift((await own.later()).job_id);
    const page = async (query: string) => jobList.parse((await clientOf(at.service.url, key).ask('GET', `/api/v1/jobs?${query}`)).body);
    const first = await page('limit=3');
    const newer = await own.later();
    const second = await page(`limit=3&cursor=${first.next_cursor}`);
    const third = await page(`limit=3&cursor=${second.next_cursor}`);
    expect([first, second, third].flatMap((one) => one.jobs.map(({ job_id }) => job_id))).toEqual(made);
    expect(third.next_cursor).toBeNull();
    expect((await page('limit=1')).jobs[0]!.job_id).toBe(newer.job_id);
  });

  it('filters by status and by time, and leaves out renders that somebody waited for', async () => {
    const own = clientOf(at.service.url, await freeKey(at.house));
    const ownJobs = jobsOf(own);
    await own.render('html', '<p>waited for');
    const done = await ownJobs.ended((await ownJobs.later()).job_id);
    const failed = await ownJobs.ended((await ownJobs.later({}, broken)).job_id);
    const ids = async (query: string) => jobList.parse((await own.ask('GET', `/api/v1/jobs?${query}`)).body).jobs.map(({ job_id }) => job_id);
    expect(await ids('')).toEqual([failed.job_id, done.job_id]);
    expect(await ids('status=FAILED')).toEqual([failed.job_id]);
    expect(await ids('status=DONE')).toEqual([done.job_id]);
    expect(await ids('status=QUEUED')).toEqual([]);
    expect(await ids(`since=${failed.created_at}`)).toEqual([failed.job_id]);
    expect(await ids(`until=${failed.created_at}`)).toEqual([done.job_id]);
    expect(await ids('since=2999-01-01')).toEqual([]);
  });

  it.each([
    ['status=READY', 'status'], ['since=yesterday', 'since'], ['until=2026-01-01T10:00:00', 'until'], ['limit=0', 'limit'], ['limit=101', 'limit'], ['limit=a', 'limit'],
    ['cursor=job_x', 'cursor'], ['cursor=render_01JQZX3C5V8Y2N6T4R7W9K0MHB', 'cursor'], ['page=2', 'page'],
  ])('refuses %s and says what is allowed', async (query, field) => {
    const { message } = expectRefusal(await client.ask('GET', `/api/v1/jobs?${query}`), 'invalid_request', { field });
    expect(message).not.toMatch(/Invalid input/);
  });
});

describe('GET /jobs/{job_id}/events', () => {
  it('tells the whole story with time, actor and trace', async () => {
    const { job_id } = await jobs.later();
    await jobs.ended(job_id);
    const { events } = jobHistory.parse((await client.ask('GET', `/api/v1/jobs/${job_id}/events`)).body);
    expect(events.map(({ type }) => type)).toEqual(['RenderRequested', 'RenderStarted', 'RenderCompleted']);
    expect(events.map(({ actor }) => actor.kind)).toEqual(['key', 'service', 'service']);
    expect(new Set(events.map(({ request_id }) => request_id)).size).toBe(1);
  });
});

describe('A job that is not there', () => {
  it('is the same 404, whether it belongs to somebody else, was never made, or cannot exist', async () => {
    const { job_id } = await jobs.later();
    await jobs.ended(job_id);
    const asked = (path: string) => stranger.ask(path.endsWith('redeliver') ? 'POST' : 'GET', path);
    const bodies = new Set<string>();
    for (const id of [job_id, 'job_01JQZX3C5V8Y2N6T4R7W9K0MHB', job_id.replace('job', 'render'), 'job_', 'nonsense', `${job_id}0`, encodeURIComponent('../x')]) {
      for (const path of ['', '/events', '/redeliver']) {
        const { request_id: _, ...body } = expectRefusal(await asked(`/api/v1/jobs/${id}${path}`), 'job_not_found');
        bodies.add(JSON.stringify(body));
      }
    }
    expect(bodies.size).toBe(1);
  });

  it('cannot be asked for without a key, or with one that may not', async () => {
    const { key } = await issueKey(at.house, await openAccount(at.house), '--permissions', 'render:create');
    for (const path of ['/api/v1/jobs', '/api/v1/jobs/job_01JQZX3C5V8Y2N6T4R7W9K0MHB', '/api/v1/jobs/job_01JQZX3C5V8Y2N6T4R7W9K0MHB/events']) {
      expectRefusal(await clientOf(at.service.url, null).ask('GET', path), 'missing_authorization');
      expectRefusal(await clientOf(at.service.url, key).ask('GET', path), 'insufficient_permissions', { required_permission: 'jobs:read' });
    }
  });
});
