import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type ApiResponse, type Body, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { file, postForm } from '../support/client/multipart.ts';
import { sendRawRequest } from '../support/client/raw-http.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let client: ApiClient;
beforeAll(async () => {
  client = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

type Entry = { error: string; message: string; field?: string; did_you_mean?: string; example?: Body };

const good = { mode: 'CONVERT', input_type: 'html', data: '<p>x</p>' };
const entriesOf = ({ body }: ApiResponse): Entry[] => body['errors'] as Entry[];
/** `error field` of each entry. */
const listOf = (response: ApiResponse): string[] => entriesOf(response).map(({ error, field }) => `${error} ${field}`);
const send = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
  client.request(method, `/api/v1${path}`, {
    ...(body === undefined
      ? {}
      : {
          headers: { 'content-type': 'application/json' },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
  });

describe('All errors of a request are reported at once:', () => {
  it('a form, with the place where JSON in a field breaks', async () => {
    const response = await postForm(client, [
      ['file', file('a.md', 'x')],
      ['encryption', '{"user_password": "tulip" "print": "low"}'],
      ['attachments', '[{"name": "a.csv"'],
      ['metadata', '["x"]'],
      ['margin_top', '500'],
    ]);
    expect(listOf(response).toSorted()).toEqual(
      ['attachments', 'encryption', 'margin_top', 'metadata'].map((field) => `invalid_request ${field}`),
    );
    const messageOf = (name: string) => entriesOf(response).find(({ field }) => field === name)!.message;
    expect(messageOf('encryption')).toMatch(
      /^encryption must be an object\. Its JSON is malformed on line 1, column 27: a comma is expected\. Example: \{/,
    );
    expect(messageOf('attachments')).toMatch(/^attachments must be an array\. Its JSON .*, column \d+: .*not closed/);
    expect(messageOf('metadata')).toMatch(/^metadata must be an object\. Example/);
    expect(response.text).not.toContain('tulip');
  });

  it('a render', async () => {
    const response = await client.postRender({
      mode: 'CONVERT',
      input_type: 'md',
      page_size: 'a44',
      orientation: 'horizontal',
      margin_top: 'wide',
      print_background: 'yes',
      scale: 9,
      width: 100,
      landscape: true,
      colour: 'red',
      webhook_headers: { Host: 'x', 'X Y': 'z' },
    });
    expectErrorResponse(response, 'missing_data', { field: 'data' });
    expect(listOf(response).toSorted()).toEqual(
      [
        'missing_data data',
        'invalid_input_type input_type',
        'invalid_page_size page_size',
        'invalid_orientation orientation',
        'invalid_request margin_top',
        'invalid_request print_background',
        'invalid_request scale',
        'invalid_request width',
        'invalid_request landscape',
        'invalid_request colour',
        'invalid_request webhook_headers.Host',
        'invalid_request webhook_headers.X Y',
        'invalid_request webhook_headers',
      ].toSorted(),
    );
    const { body } = response;
    expect(entriesOf(response)[0]).toEqual({ error: body.error, message: body.message, field: body['field'] });
    expect(body).not.toHaveProperty('omitted_errors');
    expect(body.message).toBe('data is missing: it holds the content to convert.');
  });

  it('a render with a wrong mode, or none', async () => {
    const wrong = await client.postRender({ mode: 'convert', data: 5, format: 'A4' });
    expectErrorResponse(wrong, 'invalid_mode', { field: 'mode', received: 'convert', did_you_mean: 'CONVERT' });
    expect(listOf(wrong)).toEqual([
      'invalid_mode mode',
      'invalid_request input_type',
      'invalid_request data',
      'invalid_request format',
    ]);
    const template = await client.postRender({ templateId: 'tpl_x', data: {} });
    expectErrorResponse(template, 'invalid_request', { field: 'mode', did_you_mean: 'RENDER' });
    expect(listOf(template)).toEqual([
      'invalid_request mode',
      'missing_template_id template_id',
      'invalid_request templateId',
    ]);
    const neither = await client.postRender({ html: '<p>x</p>', scale: 'x', template_version_: 1 });
    expect(listOf(neither)).toEqual([
      'invalid_request mode',
      'missing_data data',
      'invalid_request scale',
      'invalid_request html',
      'invalid_request template_version_',
    ]);
  });

  it('the render of a template, and one with both parts', async () => {
    const response = await client.postRender({ mode: 'RENDER', template_version: 0, data: [], input_type: 'html' });
    expectErrorResponse(response, 'missing_template_id', { field: 'template_id' });
    expect(listOf(response)).toEqual([
      'missing_template_id template_id',
      'invalid_request template_version',
      'invalid_request data',
      'invalid_request input_type',
    ]);
  });

  it('data of a wrong type and a callback without its URL, after all others', async () => {
    const response = await client.postRender({ ...good, data: { a: 1 }, webhook_method: 'PUT', scale: 9 });
    expect(listOf(response)).toEqual([
      'invalid_request scale',
      'invalid_request data',
      'invalid_request webhook_method',
    ]);
  });

  it('the query together with the body', async () => {
    const response = await send('POST', '/render?diagnostics=True', { ...good, scale: 9, zoom: 2 });
    expectErrorResponse(response, 'invalid_request', { field: 'diagnostics', did_you_mean: 'true' });
    expect(listOf(response)).toEqual(['invalid_request diagnostics', 'invalid_request scale', 'invalid_request zoom']);
  });

  it('a new template, with those of its variables and options', async () => {
    const body = {
      description: 7,
      category: 'invoices',
      html: '<p>x</p>',
      variables: [{ name: 'a', type: 'text' }, { name: 'b', type: 'date', mandatory: true }, 7],
      default_options: { pageSize: 'A4', orientation: 'l', margin: '20mm', data: 1 },
    };
    const response = await send('POST', '/templates', body);
    expectErrorResponse(response, 'template_name_required', { field: 'name' });
    expect(listOf(response).toSorted()).toEqual(
      [
        'template_name_required name',
        'template_content_required content',
        'invalid_request description',
        'invalid_request category',
        'invalid_request variables[0].type',
        'invalid_request variables[1].mandatory',
        'invalid_request variables[2]',
        'invalid_orientation default_options.orientation',
        'invalid_request default_options.pageSize',
        'invalid_request default_options.margin',
        'invalid_request default_options.data',
        'invalid_request html',
      ].toSorted(),
    );
    const meant = Object.fromEntries(entriesOf(response).map(({ field, did_you_mean }) => [field, did_you_mean]));
    expect(meant).toMatchObject({
      category: 'invoice',
      html: 'content',
      'variables[0].type': 'string',
      'variables[1].mandatory': 'required',
      'default_options.orientation': 'landscape',
      'default_options.pageSize': 'page_size',
      'default_options.margin': 'margin_top',
    });
  });

  it('a changed, checked or tested template', async () => {
    const { body } = await send('POST', '/templates', { name: 'All errors', content: '<p>x</p>' });
    const path = `/templates/${String(body['id'])}`;
    expect(listOf(await send('PUT', path, { content: 1, title: 'x' }))).toEqual([
      'invalid_request content',
      'invalid_request title',
    ]);
    expect(listOf(await send('POST', `${path}/test`, { payload: {}, scale: 9 }))).toEqual([
      'invalid_request data',
      'invalid_request scale',
      'invalid_request payload',
    ]);
    expect(listOf(await send('POST', '/templates/validate', { variables: [{}], html: '' }))).toEqual([
      'invalid_request content',
      'invalid_request variables[0].name',
      'invalid_request variables[0].type',
      'invalid_request html',
    ]);
  });

  it('the syntax of a template', async () => {
    const response = await send('POST', '/templates', { name: 'Wrong', content: '{{shout x}}\n{{whisper y}}\n{{z}}' });
    expectErrorResponse(response, 'invalid_template_syntax', { field: 'content', line: 1 });
    expect(response.body['errors']).toMatchObject([{ line: 1 }, { line: 2, field: 'content' }]);
  });

  it('the query of a list', async () => {
    const response = await send('GET', '/jobs?status=done&since=yesterday&limit=500&cursor=x&page=2');
    expectErrorResponse(response, 'invalid_request', { field: 'status', did_you_mean: 'DONE' });
    expect(listOf(response)).toEqual([
      'invalid_request status',
      'invalid_request since',
      'invalid_request limit',
      'invalid_request cursor',
      'invalid_request page',
    ]);
  });

  it('but a single one has no list', async () => {
    const { body } = await client.postRender({ ...good, scale: 9 });
    expect(body).not.toHaveProperty('errors');
    expect(body['field']).toBe('scale');
  });
});

describe('An error names what was meant:', () => {
  it.each([
    ['landscape', true, 'orientation', { orientation: 'landscape' }],
    ['landscape', false, 'orientation', { orientation: 'portrait' }],
    ['format', 'a5', 'page_size', { page_size: 'A5' }],
    ['margin', '20mm', 'margin_top', { margin_top: 20, margin_right: 20, margin_bottom: 20, margin_left: 20 }],
    ['marginTop', '1in', 'margin_top', { margin_top: '1in' }],
    // A number is in inches in Gotenberg.
    ['marginTop', 1, 'margin_top', { margin_top: '1in' }],
    ['marginLeft', '0.5', 'margin_left', { margin_left: '0.5in' }],
    ['marginTop', 20, 'margin_top', { margin_top: '20mm' }],
    ['paperWidth', 8.27, 'width', { width: '210mm', height: '297mm' }],
    ['printBackground', true, 'print_background', { print_background: true }],
    ['page_szie', 'a5', 'page_size', { page_size: 'a5' }],
    ['headerTemplate', '<b>x</b>', 'header_html', { header_html: expect.stringContaining('<') }],
    ['filename', 'x', 'file_name', undefined],
    ['webhookUrl', 'https://user:secret@example.com', 'webhook_url', undefined],
  ])('%s: %j', async (name, value, meant, example) => {
    const response = await client.postRender({ ...good, [name]: value });
    const body = expectErrorResponse(response, 'invalid_request', { field: name, did_you_mean: meant });
    expect(body['example']).toEqual(example);
    expect(body.message).toContain(`"${name}" is not a field of this request; did you mean \`${meant}\``);
    expect(response.text).not.toContain('secret');
  });

  it.each([
    ['page_size', 'a44', 'invalid_page_size', 'A4'],
    ['orientation', 'horizontal', 'invalid_orientation', 'landscape'],
    ['input_type', 'text/html', 'invalid_input_type', 'html'],
  ] as const)('%s: %s', async (field, value, error, meant) => {
    const response = await client.postRender({ ...good, [field]: value });
    const { message } = expectErrorResponse(response, error, { field, received: value, did_you_mean: meant });
    expect(message).toContain(`; did you mean \`${meant}\`?`);
  });

  it('a value of the wrong type with an example of the right one, if it is allowed', async () => {
    const response = await client.postRender({ ...good, print_background: 'true', wait_time: '2s', scale: '7' });
    expect(entriesOf(response).map(({ field, example }) => [field, example])).toEqual([
      ['print_background', { print_background: true }],
      ['scale', undefined],
      ['wait_time', { wait_time: 2000 }],
    ]);
  });
});

describe('An error says what is allowed:', () => {
  it.each<[string, Body, string, Body]>([
    [
      'an object',
      { watermark: 'DRAFT' },
      'watermark must be an object.',
      { example: { watermark: { text: 'DRAFT' } } },
    ],
    ['a flag', { keep_pdf: 7 }, 'keep_pdf must be true or false.', { field: 'keep_pdf' }],
    ['a locale', { locale: 'de_AT' }, 'did you mean `de-AT`?', { did_you_mean: 'de-AT' }],
    ['a time zone', { time_zone: 'Vienna' }, 'did you mean `Europe/Vienna`?', { did_you_mean: 'Europe/Vienna' }],
    ['a standard', { conformance: 'PDF/A-3b' }, 'did you mean `pdf/a-3b`?', { did_you_mean: 'pdf/a-3b' }],
    ['assets', { asset: 'x' }, 'as parts "assets"', { field: 'asset' }],
  ])('%s', async (_, wrong, message, fields) => {
    const body = expectErrorResponse(await client.postRender({ ...good, ...wrong }), 'invalid_request', fields);
    expect(body.message).toContain(message);
  });

  it('another version of a standard is not guessed', async () => {
    for (const conformance of ['pdf/a-9', 'pdf/a-1b', 'pdf/a-3a', 'pdf/ua-2']) {
      const body = expectErrorResponse(await client.postRender({ ...good, conformance }), 'invalid_request');
      expect(body).not.toHaveProperty('did_you_mean');
      expect(body.message).toMatch(/^conformance must be one of pdf\/a-2b, .*pdf\/ua-1\.$/);
    }
  });

  it('headers of a page are not those of a callback', async () => {
    const page = { mode: 'CONVERT', input_type: 'url', data: 'https://example.com/', headers: { A: 'b' } };
    expectErrorResponse(await client.postRender(page), 'invalid_request', { did_you_mean: 'url_headers' });
    const webhook_url = 'https://example.com/hook';
    expectErrorResponse(await client.postRender({ ...page, webhook_url }), 'invalid_request', {
      did_you_mean: 'webhook_headers',
    });
  });

  it('unknown query parameters and the fields of a small body, with the known ones', async () => {
    const query = expectErrorResponse(await send('GET', '/renders?order=asc'), 'invalid_request', { field: 'order' });
    expect(query.message).toMatch(/^"order" is not a query parameter of this request\. Allowed: .*cursor, status/);
    const body = expectErrorResponse(await send('POST', '/webhooks/test', { where: 'x' }), 'invalid_request');
    expect(JSON.stringify(body)).toMatch(/is not a field of this request\. Allowed: url\b/);
  });

  it('unknown query parameters of a request that changes something', async () => {
    const query = '?diagnostic=true&page=A5';
    const render = await client.request('POST', `/api/v1/render${query}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...good, scale: 9 }),
    });
    expect(listOf(render)).toEqual(['diagnostic', 'page', 'scale'].map((field) => `invalid_request ${field}`));
    expect(entriesOf(render)[0]).toMatchObject({ did_you_mean: 'diagnostics' });
    expect(entriesOf(render)[1]!.message).toBe(
      '"page" is not a query parameter of this request. Allowed: diagnostics.',
    );
    const upload = await postForm(client, [['file', file('a.md', 'x')]], { path: `/api/v1/render/async${query}` });
    expectErrorResponse(upload, 'invalid_request', { field: 'diagnostic' });
    const deletion = await send('DELETE', '/templates/tpl_01JQZX3C5V8Y2N6T4R7W9K0MHB?force=true');
    expectErrorResponse(deletion, 'invalid_request', { field: 'force' });
  });

  it('a form that is sent as JSON', async () => {
    const form = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n# A\r\n--x--\r\n';
    const response = await client.postRender(form);
    const { message } = expectErrorResponse(response, 'invalid_request', { field: 'Content-Type' });
    expect(message).toContain('Let the client set this header');
  });
});

describe('Every validation error has a field:', () => {
  it.each([
    ['body', { body: '{' }],
    ['body', { body: '[]' }],
    ['body', { body: '' }],
    ['body', { body: Buffer.from([0x22, 0xff]) }],
    ['Content-Type', { body: '{}', headers: { 'content-type': 'text/plain' } }],
    ['Content-Encoding', { body: '{}', headers: { 'content-encoding': 'br' } }],
    ['Idempotency-Key', { body: JSON.stringify(good), headers: { 'idempotency-key': 'x'.repeat(300) } }],
    ['mode', { body: '{}' }],
  ])('%s (%#)', async (field, { body, headers = {} }: { body: string | Buffer; headers?: Record<string, string> }) => {
    expectErrorResponse(await client.postRender(body, { headers }), 'invalid_request', { field });
  });

  it('the path and malformed HTTP, too', async () => {
    expectErrorResponse(await client.request('GET', '/api/v1/%zz'), 'invalid_request', { field: 'path' });
    expectErrorResponse(await sendRawRequest(at.service.url, 'HELLO\r\n\r\n'), 'invalid_request', { field: 'request' });
    expectErrorResponse(await send('GET', '/usage?period=May'), 'invalid_request', { field: 'period' });
  });
});

describe('The response to a hostile request is short:', () => {
  const many = (count: number, name: (index: number) => string): Body =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), 1]));
  it.each([
    ['190 unknown fields', { ...good, ...many(190, (index) => `key${index}`) }, 50, 140],
    ['names of 300 characters', { ...good, ...many(100, (index) => `${index}${'\u0001'.repeat(300)}`) }, 4, 96],
    ['a megabyte of name', { ...good, ['x'.repeat(1_000_000)]: 1, y: 1 }, 2, undefined],
    ['names of members', { ...good, constructor: 1, toString: { valueOf: 1 }, hasOwnProperty: [] }, 3, undefined],
    [
      'values of any type',
      { ...good, margin: [[[]]], landscape: {}, format: null, header: [1], url: -0 },
      5,
      undefined,
    ],
  ])('%s', async (_, body, listed, omitted) => {
    const response = await client.postRender(body);
    expectErrorResponse(response, 'invalid_request');
    expect([entriesOf(response).length >= listed, response.body['omitted_errors']]).toEqual([
      true,
      omitted === undefined ? undefined : expect.any(Number),
    ]);
    if (omitted !== undefined)
      expect(entriesOf(response).length + Number(response.body['omitted_errors'])).toBe(listed + omitted);
    expect(response.text.length).toBeLessThan(20_000);
  });

  it('a field __proto__', async () => {
    const text = JSON.stringify({ ...good, proto: { page_size: 'A3' }, scale: 9 }).replace('"proto"', '"__proto__"');
    const response = await client.postRender(text);
    expect(listOf(response)).toEqual(['invalid_request scale', 'invalid_request __proto__']);
  });

  it('a thousand wrong fields of variables', async () => {
    const variables = Array.from({ length: 50 }, () => ({ type: 'x', ...many(20, (index) => `colour${index}`) }));
    const response = await send('POST', '/templates', { name: 'x', content: 'x', variables });
    expect(entriesOf(response)).toHaveLength(50);
    expect(response.body['omitted_errors']).toBe(50 * 22 - 50);
    expect(response.text.length).toBeLessThan(20_000);
  });
});
