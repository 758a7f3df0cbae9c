import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiResponse, type Body, type ApiClient, createClient } from '../support/client/api-client.ts';
import { createJobClient, smallRequest } from '../support/client/job-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { reachableHost } from '../support/environment.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let client: ApiClient;
let scriptTracker: ScriptTracker;
beforeAll(async () => {
  scriptTracker = await openScriptTracker(reachableHost);
  client = createClient(at.service.url, await createUnlimitedKey(at.installation));
});
afterAll(() => scriptTracker.close());

let made = 0;
const newKey = (): string => `key-${process.pid}-${(made += 1)}`;
const post = (path: string, body: unknown, key: string, as: ApiClient = client): Promise<ApiResponse> =>
  createJobClient(as).postJson(path, body, { 'idempotency-key': key });
const replayed = ({ headers }: ApiResponse): string | null => headers.get('idempotency-replayed');
const withoutRequest = ({ request_id: _, ...body }: Body): Body => body;

describe('Requests with the same Idempotency-Key and body', () => {
  it('get the same response with the same PDF, byte for byte', async () => {
    const key = newKey();
    const document = { ...smallRequest, data: `<h1>${'once '.repeat(500)}` };
    const [first, second, third] = [
      await post('/api/v1/render', document, key),
      await post('/api/v1/render', document, key),
      await post('/api/v1/render', document, key),
    ];
    expect([first, second, third].map(replayed)).toEqual([null, 'true', 'true']);
    expect(second.status, second.text.slice(0, 200)).toBe(200);
    expect(second.text).toBe(first.text);
    expect(third.text).toBe(first.text);
  });

  it('regenerate a PDF that was not stored once for all concurrent requests, and store it', async () => {
    const key = newKey();
    const document = { ...smallRequest, data: `<p>${key}`, wait_time: 300 };
    const first = await post('/api/v1/render', document, key);
    const responses = await Promise.all(Array.from({ length: 8 }, () => post('/api/v1/render', document, key)));
    expect(new Set(responses.map(({ text }) => text))).toEqual(new Set([first.text]));
    expect((await post('/api/v1/render', document, key)).text).toBe(first.text);
    const jobId = String(first.body.id).replace('render_', 'job_');
    const types = (await createJobClient(client).events(jobId)).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('PdfRegeneration'))).toEqual([
      'PdfRegenerationRequested',
      'PdfRegenerationEnded',
    ]);
    const { pdf_url: url } = await createJobClient(client).get(jobId);
    expect(
      Buffer.from(await (await fetch(String(url).replace(/^http:..[^/]+/, at.service.url))).arrayBuffer()).toString(
        'base64',
      ),
    ).toBe(first.body.pdf_base64);
  });

  it('get the same job, which is rendered once', async () => {
    const key = newKey();
    const first = await post('/api/v1/render/async', smallRequest, key);
    const second = await post('/api/v1/render/async', smallRequest, key);
    expect([second.text, replayed(second)]).toEqual([first.text, 'true']);
    const { jobs } = (await client.request('GET', '/api/v1/jobs?limit=100')).body as { jobs: Body[] };
    expect(jobs.filter(({ job_id }) => job_id === first.body.job_id)).toHaveLength(1);
  });

  it('get the same template, which is created once', async () => {
    const key = newKey();
    const template = { name: `Once ${key}`, content: '<p>{{x}}</p>' };
    const [first, second] = [
      await post('/api/v1/templates', template, key),
      await post('/api/v1/templates', template, key),
    ];
    expect([first.status, second.status, second.text, replayed(second)]).toEqual([201, 201, first.text, 'true']);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
  });

  it('get the error of a failed render without rendering again', async () => {
    const key = newKey();
    const broken = { ...smallRequest, data: '<p><!-- never closed' };
    const [first, second] = [await post('/api/v1/render', broken, key), await post('/api/v1/render', broken, key)];
    expectErrorResponse(first, 'invalid_html');
    expect(replayed(second)).toBe('true');
    expect(withoutRequest(second.body)).toEqual(withoutRequest(first.body));
    expect(second.body.render_id).toBe(first.body.render_id);
  });

  it('create exactly one render when they are concurrent', async () => {
    const own = createClient(at.service.url, await createUnlimitedKey(at.installation));
    const key = newKey();
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => post('/api/v1/render/async', smallRequest, key, own)),
    );
    const accepted = responses.filter(({ status }) => status === 200);
    expect(accepted.length).toBeGreaterThan(0);
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
    for (const response of responses.filter(({ status }) => status !== 200))
      expectErrorResponse(response, 'idempotency_in_progress');
    expect((await own.request('GET', '/api/v1/jobs')).body.jobs).toHaveLength(1);
  });
});

describe('An Idempotency-Key', () => {
  it('that was used with another body or on another route is a conflict', async () => {
    const key = newKey();
    await post('/api/v1/render/async', smallRequest, key);
    expectErrorResponse(
      await post('/api/v1/render/async', { ...smallRequest, data: '<p>other' }, key),
      'idempotency_conflict',
    );
    expectErrorResponse(await post('/api/v1/render', smallRequest, key), 'idempotency_conflict');
    expectErrorResponse(await post('/api/v1/templates', { name: key, content: 'x' }, key), 'idempotency_conflict');
  });

  it('whose first request is still running is rejected, and works when that request has ended', async () => {
    const key = newKey();
    const held = { ...smallRequest, data: scriptTracker.heldImage('first') };
    const running = post('/api/v1/render', held, key);
    await scriptTracker.waitUntilHeld('first');
    const second = await post('/api/v1/render', held, key);
    expectErrorResponse(second, 'idempotency_in_progress', { retry_after: 2 });
    expect([replayed(second), second.headers.get('retry-after')]).toEqual([null, '2']);
    scriptTracker.release('first');
    const first = await running;
    expect([first.status, replayed(first)], first.text.slice(0, 300)).toEqual([200, null]);
    expect((await post('/api/v1/render', held, key)).text).toBe(first.text);
  });

  it('of another account is independent', async () => {
    const key = newKey();
    const other = createClient(at.service.url, await createUnlimitedKey(at.installation));
    const [mine, theirs] = [
      await post('/api/v1/render/async', smallRequest, key),
      await post('/api/v1/render/async', { ...smallRequest, data: '<p>theirs' }, key, other),
    ];
    expect([theirs.status, replayed(theirs)]).toEqual([200, null]);
    expect(theirs.body.job_id).not.toBe(mine.body.job_id);
  });

  it('has 1 to 255 characters', async () => {
    expect((await post('/api/v1/render/async', smallRequest, 'k'.repeat(255))).status).toBe(200);
    for (const key of ['k'.repeat(256), ''])
      expectErrorResponse(await post('/api/v1/render/async', smallRequest, key), 'invalid_request', {
        field: 'Idempotency-Key',
      });
  });

  it('is free again after a rejected request', async () => {
    const key = newKey();
    expectErrorResponse(
      await post('/api/v1/render/async', { ...smallRequest, margin_top: 500 }, key),
      'invalid_request',
    );
    const second = await post('/api/v1/render/async', smallRequest, key);
    expect([second.status, replayed(second)]).toEqual([200, null]);
  });
});
