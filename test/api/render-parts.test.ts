import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ulid } from 'ulid';
import { apiKeyIdOf, bareId, jobIdOf, streams } from '#contracts/names.ts';
import { noStream } from '#libs/event-store/port.ts';
import { issueToken, openBrowser } from '../support/people/browser.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob } from '../support/api/stub-renderer.ts';

type Body = Record<string, unknown>;

let api: InProcessApi;
let accountId: string;
let secret: string;
let keyId: string;
beforeAll(async () => void (api = await openInProcessApi('2026-05-20T12:00:30.000Z')));
beforeEach(async () => {
  accountId = await api.createAccount('pro', { requestsPerMinute: 100_000 });
  ({ secret, id: keyId } = await api.createKey(accountId, { name: 'billing' }));
});
afterAll(() => api.closeAndRemove());

const send = async (method: string, path: string, body?: unknown, by = secret) => {
  const response = await api.request(by, method, path, body);
  return { ...response, body: response.body as Body };
};
const created = async (path: string, body: unknown): Promise<string> => {
  const response = await send('POST', path, body);
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return String(response.body.id);
};
const render = (fields: Body = {}) => created('/api/v1/render', { ...htmlRequest, ...fields });
const bare = (id: string): string => bareId('render', id)!;
const finish = async (id: string) => {
  await renderJob(api, jobIdOf(bare(id)));
  await api.catchUpReadModels();
};
const inputOf = (id: string, part = '') => send('GET', `/api/v1/renders/${id}/input${part && `?part=${part}`}`);
const search = async (q: string, by = secret): Promise<Body[]> => {
  const { body } = await send('GET', `/api/v1/search?q=${encodeURIComponent(q)}`, undefined, by);
  return body.results as Body[];
};

describe('The input of a render', () => {
  it('is sent as it was received, as a download that no browser shows as a page', async () => {
    const response = await inputOf(await render({ data: '<script>alert(1)</script>', header_html: '<b>head</b>' }));
    expect(response.body).toBe('<script>alert(1)</script>');
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="render_\w+\.html"$/),
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    });
  });

  it('is the data of a template as JSON', async () => {
    const template = await created('/api/v1/templates', { name: ulid(), content: '<p>{{x}}' });
    const id = await created('/api/v1/render', { mode: 'RENDER', template_id: template, data: { x: 1 } });
    const { body, headers } = await inputOf(id);
    expect([body, headers['content-type']]).toEqual([{ x: 1 }, 'application/json; charset=utf-8']);
  });

  it('is the bytes of a Word document that was sent in base64', async () => {
    const docx = Buffer.from('PK not really a document').toString('base64');
    for (const data of [docx, `data:application/octet-stream;base64,${docx}`])
      expect((await inputOf(await render({ input_type: 'docx', data }))).body).toBe('PK not really a document');
  });

  it('is the masked URL of a page', async () => {
    const id = await render({ input_type: 'url', data: 'https://example.com/report?token=s3cret' });
    expect((await inputOf(id)).body).toBe('https://example.com/report?token=***');
  });

  it('has the header and the footer as parts; a part that there is not, or not any more, is an error', async () => {
    const id = await render({ header_html: '<b>head</b>', data: '<p>unique to this test' });
    expect((await inputOf(id, 'header')).body).toBe('<b>head</b>');
    expect((await inputOf(id, 'footer')).body).toMatchObject({
      error: 'input_not_available',
      part: 'footer',
      code: 404,
    });
    const { body } = await send('GET', `/api/v1/renders/${id}`);
    const { input } = body.request as { input: { sha256: string; size_bytes: number } };
    expect(input.size_bytes).toBe(22);
    await api.engines.blobs.delete(input.sha256);
    const lost = (await inputOf(id)).body;
    expect(lost).toMatchObject({ error: 'input_not_available', part: 'input' });
    expect(lost.message).toContain(input.sha256);
  });
});

describe('The record of a render', () => {
  it('has its options as named and with defaults, who requested it, and its request and trace ids', async () => {
    const id = await render({ page_size: 'A3', header_html: '<b>head</b>' });
    await finish(id);
    const { body } = await send('GET', `/api/v1/renders/${id}`);
    expect(body).toMatchObject({
      requested_by: { kind: 'key', id: apiKeyIdOf(keyId), name: 'billing' },
      attempts: 1,
      engine: 'none',
      render_mode: 'static',
      request_id: expect.stringMatching(/^req_/),
      request: { options: { page_size: 'A3' }, header: { content_type: 'text/html; charset=utf-8' }, footer: null },
    });
    const { options, all_options: all } = body.request as { options: Body; all_options: Body };
    expect(options).toEqual({ page_size: 'A3' });
    expect(all).toMatchObject({ page_size: 'A3', margin_top: 20, scale: 1 });
    expect(all).not.toHaveProperty('header_html');
  });

  it('masks the secrets of a callback', async () => {
    const id = await created('/api/v1/render/async', {
      ...htmlRequest,
      webhook_url: 'https://example.com/hook',
      webhook_headers: { 'X-Key': 's3cret' },
    });
    const { body } = await send('GET', `/api/v1/renders/${id}`);
    expect(body.request).toMatchObject({ webhook_method: 'POST', webhook_headers: { 'X-Key': '***' } });
    expect(JSON.stringify(body)).not.toContain('s3cret');
  });
});

describe('The diagnostics of a render', () => {
  it('are those of the record unless a second rendering is asked for, which needs a permission', async () => {
    const id = await render();
    const path = `/api/v1/renders/${id}/diagnostics`;
    await api.catchUpReadModels();
    expect((await send('GET', path)).body).toEqual({ id, status: 'QUEUED', rendered_again: false, diagnostics: null });
    await finish(id);
    const { body } = await send('GET', path);
    expect(body).toMatchObject({ rendered_again: false, diagnostics: { render_mode: 'static', failed_resources: [] } });
    expect(body.diagnostics).not.toHaveProperty('console');
    expect(await api.eventLog.store.read(streams.render(bare(id)))).toHaveLength(3);
    const { secret: reader } = await api.createKey(accountId, { permissions: ['jobs:read'] });
    expect((await send('GET', path, undefined, reader)).status).toBe(200);
    expect((await send('GET', `${path}?rerender=true`, undefined, reader)).body).toMatchObject({
      error: 'insufficient_permissions',
    });
  });
});

describe('A search', () => {
  it('finds a render by any id of it, by the beginning of one, by its request, trace and PDF', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    // The ids of requests have the time of the machine.
    api.clock.now = new Date();
    const response = await api.app.inject({
      method: 'POST',
      url: '/api/v1/render/async',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      },
      payload: JSON.stringify({ ...htmlRequest, data: ulid() }),
    });
    const { id, job_id: job } = response.json<{ id: string; job_id: string }>();
    await finish(id);
    const { pdf_sha256: sha256 } = (await send('GET', `/api/v1/renders/${id}`)).body;
    const hit = { type: 'render', id, job_id: job, title: 'html', status: 'DONE' };
    const cases: [string, string][] = [
      [id, 'id'],
      [job, 'id'],
      [`delivery_${bare(id)}`, 'id'],
      [`msg_${bare(id)}`, 'id'],
      [bare(id), 'id'],
      [id.slice(0, -2), 'id'],
      [bare(id).slice(0, -3).toLowerCase(), 'id'],
      [String(response.headers['x-request-id']), 'request_id'],
      [trace, 'trace_id'],
      [`00-${trace}-00f067aa0ba902b7-01`, 'trace_id'],
      [String(sha256), 'pdf_sha256'],
    ];
    for (const [q, matched] of cases) expect(await search(q), q).toMatchObject([{ ...hit, matched }]);
    const { secret: stranger } = await api.createKey(await api.createAccount('pro'));
    for (const [q] of cases) expect(await search(q, stranger), q).toEqual([]);
  });

  it('finds templates and keys by id, prefix and a part of the name, with the permissions for them', async () => {
    const template = await created('/api/v1/templates', { name: 'Quarterly invoice', content: '<p>x' });
    await api.catchUpReadModels();
    const hit = { type: 'template', id: template, title: 'Quarterly invoice' };
    expect(await search('QUARTERLY')).toMatchObject([{ ...hit, matched: 'name' }]);
    expect(await search(template)).toMatchObject([{ ...hit, matched: 'id' }]);
    expect(await search('bill')).toMatchObject([{ type: 'key', id: apiKeyIdOf(keyId), matched: 'name' }]);
    expect(await search(apiKeyIdOf(keyId))).toMatchObject([{ type: 'key', matched: 'id' }]);
    expect(await search(secret.slice(0, 16))).toMatchObject([{ type: 'key', matched: 'prefix' }]);
    const { secret: reader } = await api.createKey(accountId, { permissions: ['jobs:read'] });
    for (const q of ['Quarterly', template, 'bill', apiKeyIdOf(keyId)]) expect(await search(q, reader), q).toEqual([]);
  });

  it('finds a template by its id among very many newer ones', async () => {
    const template = await created('/api/v1/templates', { name: 'First', content: '<p>x' });
    const [event] = await api.eventLog.store.read(streams.template(bareId('tpl', template)!));
    const { occurredAt } = event!.metadata;
    const metadata = { ...event!.metadata, occurredAt: new Date(Date.parse(occurredAt) + 1_000).toISOString() };
    await Promise.all(
      Array.from({ length: 1_000 }, () =>
        api.eventLog.store.append(streams.template(ulid()), [{ ...event!, id: randomUUID(), metadata }], noStream),
      ),
    );
    await api.catchUpReadModels();
    expect(await search(template)).toMatchObject([{ type: 'template', id: template, matched: 'id' }]);
    const { secret: stranger } = await api.createKey(await api.createAccount('pro'));
    expect(await search(template, stranger)).toEqual([]);
  });

  it('finds people of the account by name, email and id, if the caller may see them', async () => {
    const token = await issueToken(api.eventLog, { email: 'ada.lovelace@example.com', accountId });
    const { body } = await openBrowser(api.app).signIn(token);
    const id = String((body['person'] as Body)['id']);
    await api.catchUpReadModels();
    const { secret: reader } = await api.createKey(accountId, { permissions: ['jobs:read', 'members:read'] });
    for (const [q, matched] of [
      ['Lovelace@', 'name'],
      [id, 'id'],
    ] as const)
      expect(await search(q, reader), q).toMatchObject([{ type: 'person', id, matched }]);
    const { secret: other } = await api.createKey(accountId, { permissions: ['jobs:read'] });
    expect(await search(id, other)).toEqual([]);
  });

  it('puts a name that is the text first, then those that begin with it', async () => {
    const name = ulid().toLowerCase();
    const names = [`the ${name}`, name.toUpperCase(), `${name} 2`, `another ${name}`];
    for (const each of names) await created('/api/v1/templates', { name: each, content: 'x' });
    await api.catchUpReadModels();
    const { body } = await send('GET', `/api/v1/search?q=${name}&limit=2`);
    expect((body.results as Body[]).map(({ title }) => title)).toEqual([names[1], names[2]]);
  });

  it('finds nothing for unknown texts, and names what is wrong with an impossible one', async () => {
    for (const q of ['nothing', `render_${ulid()}`, `req_${ulid()}`, 'req_ZZZZZZZZZZZZZZZZZZZZZZZZZZ', 'a'.repeat(64)])
      expect(await search(q), q).toEqual([]);
    for (const q of ['', 'x', 'x'.repeat(201)])
      expect((await send('GET', `/api/v1/search?q=${q}`)).body, q).toMatchObject({
        error: 'invalid_request',
        field: 'q',
      });
  });
});
