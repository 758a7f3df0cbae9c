import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readExample } from '#libs/templating/examples.ts';
import { type ApiClient, type ApiResponse, type Body, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createTemplateClient, type TemplateClient } from '../support/client/template-client.ts';
import { readAttachments } from '../support/documents/read-attachments.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { reachableHost } from '../support/environment.ts';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let client: ApiClient;
let templates: TemplateClient;
let scriptTracker: ScriptTracker;
beforeAll(async () => {
  scriptTracker = await openScriptTracker(reachableHost);
  client = createClient(at.service.url, await createUnlimitedKey(at.installation));
  templates = createTemplateClient(client);
});
afterAll(() => scriptTracker.close());

const previewBy = (caller: ApiClient, body: unknown, headers: Body = {}): Promise<ApiResponse> =>
  caller.request('POST', '/api/v1/templates/preview', {
    headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
    body: JSON.stringify(body),
  });
const preview = (body: unknown): Promise<ApiResponse> => previewBy(client, body);
const textOf = async ({ status, body, text }: ApiResponse): Promise<string> => {
  expect(status, text.slice(0, 300)).toBe(200);
  return (await readPdf(String(body['pdf_base64']))).map((page) => page.text).join('\n');
};

describe('A preview', () => {
  it.each([10, 100_000])('has the attachments of the request, with %i bytes', async (size) => {
    const files = ['a', 'b'].map((letter) => Buffer.alloc(size, letter));
    const { status, body, text } = await preview({
      content: '<p>x</p>',
      data: {},
      attachments: files.map((file, index) => ({ name: `${index}.bin`, data: file.toString('base64') })),
    });
    expect(status, text.slice(0, 300)).toBe(200);
    const attached = await readAttachments(Buffer.from(String(body['pdf_base64']), 'base64'));
    expect(attached.map(({ content }) => hash('sha256', content))).toEqual(files.map((file) => hash('sha256', file)));
  });
});

describe('The sample data of a template', () => {
  const content = '<p>{{name}}</p>';
  const json = { 'content-type': 'application/json' };

  it('belong to a version, stay when a change does not name them, and come back with a restored version', async () => {
    const { id } = await templates.create(content, { sample_data: { name: 'Ada' } });
    expect(await templates.get(id)).toMatchObject({ sample_data: { name: 'Ada' } });
    await templates.update(id, { description: 'changed' });
    expect(await templates.get(id)).toMatchObject({ version: 2, sample_data: { name: 'Ada' } });
    await templates.update(id, { sample_data: {} });
    expect(await templates.get(id)).not.toHaveProperty('sample_data');
    expect((await templates.versions(id))[0]).toMatchObject({ version: 3, changes: 'sample_data' });
    expect((await templates.send('GET', `/${id}/versions/2`)).body).toMatchObject({ sample_data: { name: 'Ada' } });
    expect((await templates.send('POST', `/${id}/restore`, { version: 1 })).status).toBe(200);
    expect(await templates.get(id)).toMatchObject({ version: 4, sample_data: { name: 'Ada' } });
  });

  it.each([
    ['', 10],
    [', also in a body that another thread reads', 100_000],
  ])('keep the digits of long numbers, in the response and in the preview%s', async (_, length) => {
    const n = '12345678901234567890';
    const content = `<p>{{n}} {{json n}}</p>${' '.repeat(length)}`;
    const body = `{"name":"${length} long numbers","content":"${content}","sample_data":{"n":${n}}}`;
    const created = await client.request('POST', '/api/v1/templates', { headers: json, body });
    expect(created.text).toContain(`"sample_data":{"n":${n}}`);
    const stored = await templates.send('GET', `/${String(created.body['id'])}/versions/1/preview`);
    expect(await textOf(stored)).toBe(`${n} ${n}`);
  });

  it('are refused if they are a long number', async () => {
    const body = '{"name":"no object","content":"x","sample_data":12345678901234567890}';
    const refused = await client.request('POST', '/api/v1/templates', { headers: json, body });
    expectErrorResponse(refused, 'invalid_request', { field: 'sample_data' });
  });

  it('are not used by a render', async () => {
    const { id } = await templates.create(content, { sample_data: { name: 'Ada' } });
    expectErrorResponse(await templates.render(id, {}), 'template_render_error', { missing_variable: 'name' });
  });

  it.each([
    ['a list', []],
    ['too much', { text: 'x'.repeat(262_144) }],
  ])('are refused if they are %s', async (_, sample_data) => {
    expectErrorResponse(await templates.post({ name: 'x', content, sample_data }), 'invalid_request', {
      field: 'sample_data',
    });
  });
});

describe('A preview of a template that is not stored', () => {
  it('shows the shipped invoice', async () => {
    const { template, sample } = await readExample('invoice');
    const { content, variables, default_options, labels } = template;
    const response = await preview({ content, variables, default_options, labels, data: sample, locale: 'de' });
    expect(await textOf(response)).toContain('Rechnung');
    expect(response.body).toMatchObject({ pages: 1 });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('is a PDF for a caller that accepts one', async () => {
    const response = await previewBy(client, { content: 'x', data: {} }, { accept: 'application/pdf' });
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('x-page-count')).toBe('1');
    expect(response.text).toMatch(/^%PDF-/);
  });

  it('is no render: the account has no event, no render, and no use of its quota', async () => {
    const account = await openAccount(at.installation);
    const caller = createClient(at.service.url, (await issueKey(at.installation, account)).key);
    const state = async () => {
      const paths = ['/api/v1/account/events', '/api/v1/renders', '/api/v1/usage'];
      const responses = await Promise.all(paths.map((path) => caller.request('GET', path)));
      return responses.map(({ status, body: { rate_limit: _, ...body } }) => ({ status, body }));
    };
    const before = await state();
    expect(before.map(({ status }) => status)).toEqual([200, 200, 200]);
    await textOf(await previewBy(caller, { content: 'x', data: {} }));
    expectErrorResponse(await previewBy(caller, { content: '{{x}}', data: {} }), 'template_render_error');
    expect(await state()).toEqual(before);
  });

  it.each<[string, Body, string, Body]>([
    ['no content', { data: {} }, 'invalid_request', { field: 'content' }],
    ['no data', { content: 'x' }, 'invalid_request', { field: 'data' }],
    ['data that are no object', { content: 'x', data: [] }, 'invalid_request', { field: 'data' }],
    ['wrong syntax', { content: 'a\n{{#if x}}', data: {} }, 'invalid_template_syntax', { line: 2 }],
    ['a missing variable', { content: '{{a}}', data: {} }, 'template_render_error', { missing_variable: 'a' }],
    ['a wrong option', { content: 'x', data: {}, scale: 9 }, 'invalid_request', { field: 'scale' }],
    [
      'a wrong default option',
      { content: 'x', data: {}, default_options: { margin_top: 900 } },
      'invalid_request',
      { field: 'default_options.margin_top' },
    ],
    ['a long name of an editor', { content: 'x', data: {}, editor: 'x'.repeat(101) }, 'invalid_request', {}],
    ['an unknown label', { content: '{{label "a"}}', data: {} }, 'invalid_template_syntax', {}],
    ['too much data', { content: 'x', data: { text: 'x'.repeat(1024 * 1024) } }, 'payload_too_large', {}],
    ['too much content', { content: 'x'.repeat(1024 * 1024 + 1), data: {} }, 'template_too_large', {}],
  ])('with %s is refused', async (_, body, error, fields) => {
    expectErrorResponse(await preview(body), error as 'invalid_request', fields);
  });

  it('needs two permissions', async () => {
    const account = await openAccount(at.installation);
    const keyWith = async (permissions: string): Promise<ApiClient> =>
      createClient(at.service.url, (await issueKey(at.installation, account, '--permissions', permissions)).key);
    for (const [held, required_permission] of [
      ['templates:read', 'render:create'],
      ['render:create', 'templates:read'],
    ] as const)
      expectErrorResponse(
        await previewBy(await keyWith(held), { content: 'x', data: {} }),
        'insufficient_permissions',
        {
          required_permission,
        },
      );
  });

  it('replaces an older one of the same editor, but none of another editor', async () => {
    const held = (editor: string) => preview({ content: scriptTracker.heldImage(editor), data: {}, editor });
    const [first, other] = [held('a'), held('b')];
    await Promise.all(['a', 'b'].map((editor) => scriptTracker.waitUntilHeld(editor)));
    const replaced = await Promise.race([first, preview({ content: 'y', data: {}, editor: 'a' }).then(() => first)]);
    expectErrorResponse(replaced, 'preview_replaced');
    scriptTracker.release('b');
    expect(await textOf(await other)).toContain('b');
  });
});

describe('A preview of a stored version', () => {
  it('shows its sample data, and is sent once', async () => {
    const { id } = await templates.create('<p>{{name}}</p>', { sample_data: { name: 'Ada' } });
    await templates.update(id, { sample_data: { name: 'Grace' } });
    const path = `/${id}/versions/1/preview`;
    const first = await templates.send('GET', path);
    expect(await textOf(first)).toContain('Ada');
    const etag = first.headers.get('etag')!;
    const again = await templates.send('GET', path, undefined, { 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
    const second = await templates.send('GET', `/${id}/versions/2/preview`, undefined, { 'if-none-match': etag });
    expect(await textOf(second)).toContain('Grace');
    expect((await templates.send('GET', path)).text).toBe(first.text);
    // The same content in a later version: the PDF has another date.
    await templates.update(id, { sample_data: { name: 'Ada' } });
    const third = await templates.send('GET', `/${id}/versions/3/preview`, undefined, { 'if-none-match': etag });
    expect(await textOf(third)).toContain('Ada');
  });

  it('fails without sample data for its variables, and is not sent as known afterwards', async () => {
    const { id } = await templates.create('<p>{{name}}</p>');
    const response = await templates.send('GET', `/${id}/versions/1/preview`);
    expectErrorResponse(response, 'template_render_error', { missing_variable: 'name' });
    expect(response.headers.get('etag')).toBeNull();
  });

  it('does not exist for another account, an unknown version, or a deleted template', async () => {
    const { id } = await templates.create('x');
    const other = createTemplateClient(createClient(at.service.url, await createUnlimitedKey(at.installation)));
    const path = `/${id}/versions/1/preview`;
    expectErrorResponse(await other.send('GET', path), 'template_not_found');
    for (const version of ['2', '0', 'x'])
      expectErrorResponse(await templates.send('GET', `/${id}/versions/${version}/preview`), 'template_not_found');
    expect((await templates.send('GET', path)).status).toBe(200);
    expect((await templates.send('DELETE', `/${id}`)).status).toBe(204);
    expectErrorResponse(await templates.send('GET', path), 'template_not_found');
  });
});

it('The example templates can be created as they are listed', async () => {
  const { status, body } = await templates.send('GET', '/examples');
  expect(status).toBe(200);
  const [invoice] = body['examples'] as Body[];
  const { example, ...fields } = invoice!;
  expect(example).toBe('invoice');
  const created = await templates.post({ ...fields, name: 'My invoice' });
  expect(created.status, created.text.slice(0, 300)).toBe(201);
  expect((await templates.send('GET', `/${String(created.body['id'])}/versions/1/preview`)).status).toBe(200);
});

it('The list says on request how often a template was used and failed', async () => {
  const { id } = await templates.create('<p>{{x}}</p>');
  const statistics = async (): Promise<unknown> => {
    const { body } = await templates.send('GET', '?statistics=true&limit=1');
    return (body['templates'] as Body[])[0]!['statistics'];
  };
  expect(await statistics()).toEqual({ usage_count: 0, recent: { renders: 0, succeeded: 0, failed: 0 } });
  for (const data of [{ x: 1 }, {}, { x: 2 }]) await templates.render(id, data);
  await templates.send('POST', `/${id}/test`, { data: {} });
  expect(await statistics()).toEqual({
    usage_count: 3,
    last_used_at: expect.stringMatching(/Z$/),
    recent: { renders: 3, succeeded: 2, failed: 1 },
  });
  expect((await templates.send('GET', '?limit=1')).text).not.toContain('statistics');
});
