import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ulid } from 'ulid';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { apiKeyIdOf, bareId, jobIdOf, readModels, renderIdOf, streams } from '#contracts/names.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { eraseExpiredPdfs } from '../../services/sweeper/erase.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob, stubPrint } from '../support/api/stub-renderer.ts';

type Body = Record<string, unknown>;
type Request = EventData['RenderRequested'];

const hourMs = 3_600_000;
const callback = { webhook_url: 'https://example.com/hooks/pdf' };

let api: InProcessApi;
let accountId: string;
let secret: string;
beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
});
beforeEach(async () => {
  accountId = await api.createAccount('pro', { requestsPerMinute: 100_000 });
  ({ secret } = await api.createKey(accountId));
});
afterAll(() => api.closeAndRemove());

const send = async (method: string, path: string, body?: unknown) => {
  const response = await api.request(secret, method, path, body);
  return { status: response.status, headers: response.headers, body: response.body as Body };
};
const errorOf = async (method: string, path: string, body?: unknown): Promise<Body> =>
  (await send(method, path, body)).body;
const created = async (path: string, body: unknown): Promise<string> => {
  const response = await send('POST', path, body);
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return String(response.body.id);
};
const render = (fields: Body = {}) => created('/api/v1/render', { ...htmlRequest, ...fields });
const submit = (fields: Body = {}) => created('/api/v1/render/async', { ...htmlRequest, ...fields });
const bare = (id: string): string => bareId('render', id)!;
const finish = async (id: string, print = stubPrint) => {
  await renderJob(api, jobIdOf(bare(id)), print);
  await api.catchUpReadModels();
};
const requestOf = async (id: string): Promise<Request> =>
  (await api.engines.store.read(streams.render(bare(id))))[0]!.data as Request;
const repeat = (id: string, body?: unknown) => send('POST', `/api/v1/renders/${id}/repeat`, body);
const usedNow = async (): Promise<unknown> =>
  ((await send('GET', '/api/v1/usage')).body as { quota: { used: number } }).quota.used;
const listed = async (query: string): Promise<{ renders: Body[]; next_cursor: string | null }> =>
  (await send('GET', `/api/v1/renders?${query}`)).body as never;

describe('The PDF of a render', () => {
  it('is fetched for an hour if it is kept; then the error says so, before and after it is erased', async () => {
    const id = await render({ keep_pdf: true, file_name: 'offer' });
    expect(await errorOf('GET', `/api/v1/renders/${id}/pdf`)).toMatchObject({
      error: 'pdf_not_available',
      render_status: 'QUEUED',
    });
    await finish(id);
    const fetched = await send('GET', `/api/v1/renders/${id}/pdf`);
    expect([fetched.status, fetched.headers['content-type'], fetched.body as unknown]).toEqual([
      200,
      'application/pdf',
      '%PDF-1.7',
    ]);
    expect(fetched.headers['content-disposition']).toContain('offer.pdf');
    const record = (await send('GET', `/api/v1/renders/${id}`)).body;
    expect(record).toMatchObject({ status: 'DONE', file_name: 'offer.pdf', pdf_url: expect.any(String) });
    api.clock.now = new Date(api.clock.now.getTime() + hourMs);
    expect(await errorOf('GET', `/api/v1/renders/${id}/pdf`)).toMatchObject({ error: 'download_expired' });
    const { store, reads, blobs } = api.engines;
    const sweeping = { eventLog: api.eventLog, reads, blobs };
    api.clock.now = new Date(api.clock.now.getTime() + 1);
    expect(await eraseExpiredPdfs(sweeping)).toBe(1);
    expect(await store.read(streams.render(bare(id)))).toHaveLength(4);
    expect(await blobs.has(String(record.pdf_sha256))).toBe(false);
    expect(await errorOf('GET', `/api/v1/renders/${id}/pdf`)).toMatchObject({ error: 'download_expired' });
    expect((await send('GET', `/api/v1/renders/${id}`)).body).not.toHaveProperty('pdf_url');
  });

  it('is kept as long as the account says when the render is accepted', async () => {
    await send('PUT', '/api/v1/account/settings', { pdf_retention_minutes: 120 });
    const id = await render({ keep_pdf: true });
    await send('PUT', '/api/v1/account/settings', { pdf_retention_minutes: null });
    await finish(id);
    const record = (await send('GET', `/api/v1/renders/${id}`)).body;
    expect(Date.parse(String(record.pdf_expires_at)) - api.clock.now.getTime()).toBe(2 * hourMs);
    api.clock.now = new Date(api.clock.now.getTime() + hourMs);
    expect((await send('GET', `/api/v1/renders/${id}/pdf`)).status).toBe(200);
    api.clock.now = new Date(api.clock.now.getTime() + hourMs);
    expect(await errorOf('GET', `/api/v1/renders/${id}/pdf`)).toMatchObject({ error: 'download_expired' });
  });

  it('that was never kept is an error that names keep_pdf and the repeat', async () => {
    const id = await render();
    await finish(id);
    const error = await errorOf('GET', `/api/v1/renders/${id}/pdf`);
    expect(error).toMatchObject({ error: 'pdf_not_available', code: 404, render_status: 'DONE' });
    expect(error.message).toMatch(/keep_pdf: true.*\/repeat/);
  });

  it('of a failed render does not exist, also if it was stored before', async () => {
    const id = await render({ keep_pdf: true });
    await finish(id, () => {
      throw ApiError.of('conversion_failed', 'The document is broken.');
    });
    expect(await errorOf('GET', `/api/v1/renders/${id}/pdf`)).toMatchObject({ render_status: 'FAILED' });
  });
});

describe('A repeated render', () => {
  it('has the input, options, header and footer of the recorded request, an own id, key and quota count', async () => {
    const first = await render({ page_size: 'A3', header_html: '<b>head</b>', file_name: 'a.pdf', keep_pdf: true });
    const other = await api.createKey(accountId);
    const before = await usedNow();
    const { body } = await api.request(other.secret, 'POST', `/api/v1/renders/${first}/repeat`);
    const id = String((body as Body).id);
    expect(await usedNow()).toBe(Number(before) + 1);
    const [one, two] = [await requestOf(first), await requestOf(id)];
    expect(two).toEqual({ ...one, keyId: other.id, repeatedFrom: bare(first) });
    expect(two.headerFooter.header).not.toBeNull();
    expect((await send('GET', `/api/v1/renders/${id}`)).body).toMatchObject({
      repeated_from: first,
      key_id: apiKeyIdOf(other.id),
      file_name: 'a.pdf',
    });
  });

  it('has another file name and keeps its PDF if the body says so', async () => {
    const id = String((await repeat(await render(), { keep_pdf: true, file_name: 'b' })).body.id);
    expect(await requestOf(id)).toMatchObject({ fileName: 'b.pdf', options: { keep_pdf: true } });
  });

  it('uses the recorded version of a template, also after the template has changed and was deleted', async () => {
    const template = await created('/api/v1/templates', { name: ulid(), content: '<p>{{x}}' });
    const first = await created('/api/v1/render', { mode: 'RENDER', template_id: template, data: { x: 1 } });
    await send('PUT', `/api/v1/templates/${template}`, { content: '<p>new {{x}}' });
    await send('DELETE', `/api/v1/templates/${template}`);
    const again = await repeat(first);
    expect(again.status, JSON.stringify(again.body)).toBe(200);
    expect((await requestOf(String(again.body.id))).source).toEqual((await requestOf(first)).source);
  });

  it('of a template test is a template test, which is not counted and has no callback', async () => {
    const template = await created('/api/v1/templates', { name: ulid(), content: '<p>{{x}}' });
    const first = await created(`/api/v1/templates/${template}/test`, { data: { x: 1 } });
    const before = await usedNow();
    api.clock.now = new Date(api.clock.now.getTime() + 1);
    const id = String((await repeat(first)).body.id);
    expect(await usedNow()).toBe(before);
    expect(await requestOf(id)).toMatchObject({ templateTest: true, repeatedFrom: bare(first) });
    expect((await listed('limit=1')).renders).toMatchObject([{ id, template_test: true, repeated_from: first }]);
    expect((await repeat(first, callback)).body).toMatchObject({ error: 'invalid_request', field: 'webhook_url' });
  });

  it('of a test is counted as a test: the tests of the plan are used up first', async () => {
    accountId = await api.createAccount('free', { requestsPerMinute: 100_000, requestsPerMonth: 1 });
    ({ secret } = await api.createKey(accountId));
    const template = await created('/api/v1/templates', { name: ulid(), content: '<p>{{x}}' });
    const first = await created(`/api/v1/templates/${template}/test`, { data: { x: 1 } });
    expect((await repeat(first)).body).toMatchObject({ error: 'quota_exceeded', quota_limit: 1 });
    const counted = await render({ data: `<p>${ulid()}` });
    const usedUp = { error: 'quota_exceeded', quota_limit: 1, quota_used: 1 };
    expect((await repeat(counted)).body).toMatchObject(usedUp);
    // Before its input is read.
    const { source } = await requestOf(counted);
    await api.engines.blobs.delete((source as { input: { sha256: string } }).input.sha256);
    expect((await repeat(counted)).body).toMatchObject(usedUp);
  });

  it('has the limits of the present plan', async () => {
    accountId = await api.createAccount('enterprise', { requestsPerMinute: 100_000 });
    ({ secret } = await api.createKey(accountId));
    const small = await render();
    const large = await render({ data: `<p>${'x'.repeat(11 * 1024 * 1024)}` });
    await api.updateAccount(accountId, { type: 'changePlan', plan: 'free', overrides: {}, reason: null } as never);
    expect((await requestOf(String((await repeat(small)).body.id))).limits).toMatchObject({ maxPages: 100 });
    expect((await repeat(large)).body).toMatchObject({ error: 'payload_too_large', max_size_mb: 10 });
  });

  it('is asynchronous with a webhook URL, and synchronous without, independently of the first one', async () => {
    const job = await submit();
    expect((await repeat(job)).body).toMatchObject({ status: 'DONE', pdf_base64: expect.any(String) });
    const queued = (await repeat(await render(), callback)).body;
    expect(queued).toMatchObject({ status: 'QUEUED', ...callback, estimated_time_ms: expect.any(Number) });
    expect((await requestOf(String(queued.id))).responseMode).toMatchObject({ kind: 'webhook', method: 'POST' });
    // The first render may be named by its job.
    expect((await repeat(String(queued.job_id), { webhook_method: 'PUT' })).body).toMatchObject(callback);
    expect((await repeat(job, { webhook_method: 'PUT' })).body).toMatchObject({ field: 'webhook_method' });
  });

  it('needs the secrets of a callback again', async () => {
    const first = await submit({ webhook_url: 'https://example.com/h?key=1f9c', webhook_headers: { 'X-A': 'secret' } });
    expect((await repeat(first, { webhook_method: 'PUT' })).body).toMatchObject({
      error: 'render_secrets_erased',
      code: 409,
      missing_fields: ['webhook_url', 'webhook_headers'],
    });
    expect((await repeat(first, callback)).body).toMatchObject({ missing_fields: ['webhook_headers'] });
    expect((await repeat(first, { ...callback, webhook_headers: {} })).body).toMatchObject({ status: 'QUEUED' });
    expect((await repeat(first)).body).toMatchObject({ status: 'DONE' });
  });

  it('needs the headers and cookies for a page again, and has the same URL', async () => {
    const page = { input_type: 'url', data: 'https://example.com/report?key=1f9c' };
    const url_headers = { Authorization: 'Bearer canary' };
    const first = await render({ ...page, url_headers, url_cookies: [{ name: 'sid', value: 'canary' }] });
    const missing = { error: 'render_secrets_erased', missing_fields: ['url_headers', 'url_cookies'] };
    expect((await repeat(first)).body).toMatchObject(missing);
    expect((await repeat(first, { url_headers })).body).toMatchObject({ missing_fields: ['url_cookies'] });
    const id = String((await repeat(first, { url_headers, url_cookies: [] })).body.id);
    const [{ source: one }, { source: two }] = [await requestOf(first), await requestOf(id)];
    expect(two).toMatchObject({
      input: (one as { input: unknown }).input,
      page: { headers: { Authorization: '***' } },
    });
    expect(JSON.stringify(two)).not.toMatch(/canary|1f9c/);
    expect((await repeat(await render(page))).status).toBe(200);
    const html = await repeat(await render(), { url_headers });
    expect(html.body).toMatchObject({ error: 'invalid_request', field: 'url_headers' });
  });

  it('is an error if the blob store lost its input', async () => {
    const first = await render({ data: `<p>${ulid()}` });
    const { source } = await requestOf(first);
    await api.engines.blobs.delete((source as { input: { sha256: string } }).input.sha256);
    const before = await usedNow();
    const { body } = await repeat(first);
    expect(body).toMatchObject({ error: 'render_input_lost', code: 409 });
    expect(body.message).toMatch(/POST \/api\/v1\/render/);
    expect(await usedNow()).toBe(before);
  });

  it('is not possible for a render of another account or an unknown one, and needs the permission', async () => {
    const other = await api.createKey(await api.createAccount());
    const first = await render();
    const paths = ['', '/events', '/pdf'].map((path) => ['GET', path]);
    for (const [method, path] of [...paths, ['POST', '/repeat']] as [string, string][]) {
      for (const id of [first, jobIdOf(bare(first)), renderIdOf(ulid()), 'nonsense', 'tpl_'])
        expect((await api.request(other.secret, method, `/api/v1/renders/${id}${path}`)).body).toMatchObject({
          error: 'render_not_found',
        });
    }
    const [reader, writer] = [
      await api.createKey(accountId, { permissions: ['jobs:read'] }),
      await api.createKey(accountId, { permissions: ['render:create'] }),
    ];
    const forbidden = { error: 'insufficient_permissions' };
    expect((await api.request(reader.secret, 'POST', `/api/v1/renders/${first}/repeat`)).body).toMatchObject(forbidden);
    for (const path of ['', `/${first}`, `/${first}/events`, `/${first}/pdf`])
      expect((await api.request(writer.secret, 'GET', `/api/v1/renders${path}`)).body).toMatchObject({
        ...forbidden,
        required_permission: 'jobs:read',
      });
    expect((await api.request(writer.secret, 'POST', `/api/v1/renders/${first}/repeat`)).status).toBe(200);
  });

  it('happens once for each Idempotency-Key, which cannot be used for another render', async () => {
    const [first, second] = [await submit(callback), await submit(callback)];
    const post = (id: string) =>
      api.app.inject({
        method: 'POST',
        url: `/api/v1/renders/${id}/repeat`,
        headers: { authorization: `Bearer ${secret}`, 'idempotency-key': 'once', 'content-type': 'application/json' },
        payload: JSON.stringify({ webhook_method: 'PUT' }),
      });
    const one = await post(first);
    const again = await post(first);
    expect(one.json()).toMatchObject({ status: 'QUEUED', ...callback });
    expect([again.payload, again.headers['idempotency-replayed']]).toEqual([one.payload, 'true']);
    expect((await post(second)).json()).toMatchObject({ error: 'idempotency_conflict' });
  });
});

/** Writes renders of the account to the read model, oldest first, each as a new one but for some fields. */
const writeDocuments = async (count: number, fieldsOf: (index: number) => Partial<RenderDocument>): Promise<void> => {
  const { reads } = api.engines;
  const made = await render();
  await api.catchUpReadModels();
  const document = (await reads.get(readModels.renders, bare(made))) as RenderDocument;
  const [serving] = await reads.servingGenerations([readModels.renders]);
  const storedDocumentOf = (index: number) => {
    const id = ulid(Date.UTC(2026, 0, 1) + index);
    const key = { collection: readModels.renders, generation: serving!.generation, id };
    return { ...key, position: 1, document: { ...document, id, ...fieldsOf(index) } };
  };
  await reads.write(Array.from({ length: count }, (_, index) => storedDocumentOf(index)));
};

describe('A page for several filters', () => {
  it('reads a limited number of renders, and the next pages have the rest', async () => {
    const [common, rare] = [ulid(), ulid()];
    await writeDocuments(6_000, (index) => ({
      requester: index % 2 === 0 ? common : rare,
      status: 'FAILED',
      error: { name: 'internal_error', message: 'no', extra: {} },
      source: { mode: index < 10 ? 'RENDER' : 'CONVERT' } as RenderDocument['source'],
    }));
    const found: unknown[] = [];
    const reads = { documents: 0, most: 0 };
    const { find } = api.engines.reads;
    api.engines.reads.find = async (...given) => {
      const documents = await find(...given);
      if (given[0] === readModels.renders) reads.documents += documents.length;
      return documents;
    };
    const query = `mode=RENDER&key_id=${apiKeyIdOf(rare)}&limit=2`;
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const before = reads.documents;
      const page = await listed(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      reads.most = Math.max(reads.most, reads.documents - before);
      found.push(...page.renders);
      cursor = page.next_cursor;
    }
    api.engines.reads.find = find;
    expect([found.length, pages, reads.most]).toEqual([5, 3, 0]);
    const ids = found.map((one) => (one as Body).id);
    expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
  });

  it('passes over at most 200,000 renders in steps', async () => {
    const original = { ...api.engines.reads };
    const steps: number[] = [];
    const requester = ulid();
    await writeDocuments(600, (index) => ({
      requester: index % 2 === 0 ? requester : 'other',
      source: { mode: index % 2 === 0 ? 'CONVERT' : 'RENDER' } as RenderDocument['source'],
    }));
    const ids = Array.from({ length: 9 }, (_, index) => ulid(Date.UTC(2025, 0, 1) - index));
    api.engines.reads.findIds = async (collection, query) => {
      const { skip = 0, index } = query;
      if (index.length < 4) return original.findIds(collection, query);
      steps.push(skip);
      return skip > 0 ? [ids[steps.length >> 1]!] : [];
    };
    const page = await listed(`mode=RENDER&key_id=${apiKeyIdOf(requester)}`);
    Object.assign(api.engines.reads, original);
    expect(page.renders).toEqual([]);
    expect(page.next_cursor).toBe(renderIdOf(ids[3]!));
    expect(steps).toEqual(Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? 49_999 : 0)));
  });

  it('reads no document if the filters contradict each other', async () => {
    await render();
    for (const query of [
      'mode=RENDER&input_type=html',
      'mode=COMPOSE&input_type=html',
      `mode=COMPOSE&template_id=tpl_${ulid()}`,
      `mode=CONVERT&template_id=tpl_${ulid()}`,
      `input_type=html&template_id=tpl_${ulid()}`,
      'status=DONE&error=internal_error',
    ])
      expect(await listed(query)).toEqual({ renders: [], next_cursor: null });
    expect((await listed('mode=CONVERT&input_type=html&asynchronous=false')).renders).toHaveLength(1);
  });

  it('needs one query for the renders and one for their callbacks', async () => {
    for (let made = 0; made < 3; made += 1) await submit(callback);
    await api.catchUpReadModels();
    const { reads } = api.engines;
    const called: string[] = [];
    const original = { ...reads };
    for (const name of ['get', 'getMany', 'find', 'count'] as const)
      reads[name] = (async (collection: string, ...given: never[]) => {
        if (collection === readModels.renders || collection === readModels.deliveries)
          called.push(`${name} ${collection}`);
        return (original[name] as (...all: unknown[]) => unknown)(collection, ...given);
      }) as never;
    expect((await listed('limit=100')).renders).toHaveLength(3);
    expect((await send('GET', '/api/v1/jobs?limit=100')).status).toBe(200);
    Object.assign(reads, original);
    const eachList = ['find renders', 'getMany deliveries'];
    expect(called).toEqual([...eachList, ...eachList]);
  });

  it('rejects a wrong filter, naming it', async () => {
    for (const [field, value] of Object.entries({
      status: 'OPEN',
      mode: 'x',
      input_type: 'pdf',
      template_id: 'invoice',
      key_id: `tpl_${ulid()}`,
      error: 'no_such_error',
      asynchronous: 'yes',
      limit: '101',
      cursor: 'x',
      since: 'today',
      unknown: '1',
    }))
      expect([field, (await send('GET', `/api/v1/renders?${field}=${value}`)).body]).toMatchObject([
        field,
        { code: 400, message: expect.stringContaining(field) },
      ]);
  });
});
