import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { type JobClient, createJobClient, pathAndQueryOf, smallRequest } from '../support/client/job-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { reachableHost } from '../support/environment.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let client: ApiClient;
let scriptTracker: ScriptTracker;
let jobs: JobClient;
let path: string;
let whole: Buffer;
let renderId: string;
let sha256: string;
let url: string;

const get = (headers: Record<string, string> = {}, method = 'GET') => fetch(url, { method, headers });
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

beforeAll(async () => {
  scriptTracker = await openScriptTracker(reachableHost);
  client = createClient(at.service.url, await createUnlimitedKey(at.installation));
  jobs = createJobClient(client);
  const queued = await jobs.submitAsync();
  const done = await jobs.waitUntilEnded(queued.job_id);
  renderId = queued.id;
  sha256 = done.pdf_sha256!;
  path = pathAndQueryOf(done.pdf_url);
  url = at.service.url + path;
  whole = await bytesOf(await get());
});
afterAll(() => scriptTracker.close());

describe('A download', () => {
  it('returns the PDF of the job to every caller that has the link', async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(createHash('sha256').update(whole).digest('hex')).toBe(sha256);
    expect(whole.subarray(0, 5).toString()).toBe('%PDF-');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${renderId}.pdf"`,
      etag: `"${sha256}"`,
      'accept-ranges': 'bytes',
      'content-length': String(whole.byteLength),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  it('needs no token with a key of the account, unless the key lacks the permission for jobs', async () => {
    const bare = `/api/v1/download/${renderId}`;
    expect(await client.request('GET', bare)).toMatchObject({ status: 200 });
    expectErrorResponse(await createClient(at.service.url, null).request('GET', bare), 'missing_authorization');
    const { key } = await issueKey(
      at.installation,
      await openAccount(at.installation),
      '--permissions',
      'render:create',
    );
    expectErrorResponse(await createClient(at.service.url, key).request('GET', bare), 'insufficient_permissions', {
      required_permission: 'jobs:read',
    });
  });

  it.each([
    ['bytes=0-4', 0, 4],
    ['bytes=5-', 5, null],
    ['bytes=-7', -7, null],
    ['bytes=0-99999999', 0, null],
    ['bytes=0-3,4-9', 0, 9],
    ['bytes=0-4,99999999-', 0, 4],
  ] as const)('returns the range %s', async (range, start, end) => {
    const response = await get({ range });
    expect(response.status).toBe(206);
    const from = start < 0 ? whole.byteLength + start : start;
    const to = end ?? whole.byteLength - 1;
    expect(response.headers.get('content-range')).toBe(`bytes ${from}-${to}/${whole.byteLength}`);
    expect((await bytesOf(response)).equals(whole.subarray(from, to + 1))).toBe(true);
  });

  it('returns the whole PDF for an invalid range, several ranges or an If-Range of another PDF', async () => {
    for (const headers of [
      { range: 'lines=1-2' },
      { range: 'lines=99999999-' },
      { range: 'bytes=a-b' },
      { range: 'bytes=0-4,a-b' },
      { range: 'bytes=5-2' },
      { range: 'bytes=0-1,9-10' },
      { range: 'bytes=0-4', 'if-range': '"other"' },
      { range: 'bytes=0-4', 'if-range': `W/"${sha256}"` },
    ] as Record<string, string>[]) {
      const response = await get(headers);
      expect([response.status, (await bytesOf(response)).byteLength], JSON.stringify(headers)).toEqual([
        200,
        whole.byteLength,
      ]);
    }
    expect((await get({ range: 'bytes=0-4', 'if-range': `"${sha256}"` })).status).toBe(206);
  });

  it('responds with 416 and the size if the range is beyond the end', async () => {
    const response = await get({ range: `bytes=${whole.byteLength}-` });
    expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${whole.byteLength}`]);
  });

  it('responds with 304 if the caller already has the PDF', async () => {
    for (const known of [`"${sha256}"`, `W/"${sha256}"`, `"a", "${sha256}"`, '*']) {
      const response = await get({ 'if-none-match': known });
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', `"${sha256}"`]);
    }
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('returns the size for HEAD, and ignores ranges', async () => {
    for (const headers of [{}, { range: 'bytes=0-4' }] as Record<string, string>[]) {
      const response = await get(headers, 'HEAD');
      expect([response.status, response.headers.get('content-length'), (await bytesOf(response)).byteLength]).toEqual([
        200,
        String(whole.byteLength),
        0,
      ]);
    }
  });
});

describe('A download that does not exist', () => {
  it('gives the same 404 for a wrong token, a token of another render, a key of another account and an unknown render', async () => {
    const [bare, token] = path.split('?token=') as [string, string];
    const never = '/api/v1/download/render_01JQZX3C5V8Y2N6T4R7W9K0MHB';
    const other = await jobs.submitAsync();
    const otherAccount = createClient(at.service.url, await createUnlimitedKey(at.installation));
    const withoutKey = createClient(at.service.url, null);
    const flipped = token.slice(0, -2) + (token.at(-2) === 'A' ? 'B' : 'A') + token.at(-1)!;
    const later = token.replace(/^\d+/, (seconds) => String(Number(seconds) + 3600));
    const responses = [
      ...(await Promise.all(
        [flipped, later, 'x', '', `${token}.`, `${token}&token=${token}`].map((wrong) =>
          withoutKey.request('GET', `${bare}?token=${wrong}`),
        ),
      )),
      await withoutKey.request('GET', `/api/v1/download/${other.id}?token=${token}`),
      await withoutKey.request('GET', `${never}?token=${token}`),
      await withoutKey.request('GET', `/api/v1/download/${other.job_id}?token=${token}`),
      await otherAccount.request('GET', bare),
      await otherAccount.request('GET', never),
      await client.request('GET', never),
    ];
    const bodies = responses.map((response) => {
      const { request_id: _, ...body } = expectErrorResponse(response, 'not_found');
      return JSON.stringify(body);
    });
    expect(new Set(bodies).size).toBe(1);
  });

  it('is that of a synchronous render, whose response contained the PDF', async () => {
    const { id } = await client.render('html', '<p>waited for');
    expectErrorResponse(await client.request('GET', `/api/v1/download/${id}`), 'not_found');
  });

  it('is that of a render that is running or has failed', async () => {
    const held = await jobs.submitAsync({}, { ...smallRequest, data: scriptTracker.heldImage('running') });
    expectErrorResponse(await client.request('GET', `/api/v1/download/${held.id}`), 'not_found');
    const failed = await jobs.submitAsync({}, { mode: 'CONVERT', input_type: 'json', data: '{' });
    await jobs.waitUntilEnded(failed.job_id);
    expectErrorResponse(await client.request('GET', `/api/v1/download/${failed.id}`), 'not_found');
  });
});
