import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type Body, type ApiClient, createClient } from '../support/client/api-client.ts';
import { sendRawRequest, openRawConnection, parseHttpResponse } from '../support/client/raw-http.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const good = { mode: 'CONVERT', input_type: 'html', data: '<p>x</p>' };
const without = (field: keyof typeof good): Body =>
  Object.fromEntries(Object.entries(good).filter(([name]) => name !== field));

describe('An invalid request is rejected with the name of the field:', () => {
  it('mode', async () => {
    expectErrorResponse(await caller.postRender(without('mode')), 'invalid_request', { field: 'mode' });
    expectErrorResponse(await caller.postRender({ ...good, mode: 'PRINT' }), 'invalid_mode', {
      received: 'PRINT',
      valid_values: ['CONVERT', 'RENDER', 'COMPOSE'],
    });
    expectErrorResponse(await caller.postRender({ ...good, mode: 7 }), 'invalid_mode', { received: 7 });
    expectErrorResponse(await caller.postRender({ ...good, mode: null }), 'invalid_mode', { received: null });
  });

  it('input_type', async () => {
    const valid_values = ['html', 'docx', 'markdown', 'xml', 'csv', 'json', 'url', 'odt', 'rtf', 'doc', 'xlsx', 'pptx'];
    expectErrorResponse(await caller.postRender(without('input_type')), 'invalid_request', { field: 'input_type' });
    expectErrorResponse(await caller.postRender({ ...good, input_type: 'pages' }), 'invalid_input_type', {
      received: 'pages',
      valid_values,
    });
    expectErrorResponse(await caller.postRender({ ...good, input_type: ['html'] }), 'invalid_input_type', {
      valid_values,
    });
  });

  it('data', async () => {
    for (const body of [without('data'), { ...good, data: null }])
      expectErrorResponse(await caller.postRender(body), 'missing_data');
    for (const data of ['', '\ufeff', 'data:text/html;base64,', 'data:text/html;base64,77u/\n'])
      for (const body of [
        { ...good, data },
        { mode: 'COMPOSE', parts: [{ ...good, data }] },
      ])
        expectErrorResponse(await caller.postRender(body), 'missing_data');
    expectErrorResponse(await caller.postRender({ ...good, data: 5 }), 'invalid_request', { field: 'data' });
    expectErrorResponse(await caller.postRender({ ...good, data: { a: 1 } }), 'invalid_request', { field: 'data' });
  });

  it.each([
    ['encryption.password', { encryption: { password: 'tulip' } }, 'user_password'],
    [
      'encryption.permissions.printing',
      { encryption: { owner_password: 'x', permissions: { printing: 'low' } } },
      'print',
    ],
    ['attachments[0].filename', { attachments: [{ filename: 'a.csv', data: 'YQ==' }] }, 'name'],
    ['attachments[0].content', { attachments: [{ name: 'a.csv', content: 'YQ==' }] }, 'data'],
    ['metadata.authors', { metadata: { authors: 'x' } }, 'author'],
    ['watermark.angle', { watermark: { text: 'x', angle: 30 } }, 'rotation'],
    ['page_numbers.pattern', { page_numbers: { pattern: '{page}' } }, 'format'],
    ['factur_x.level', { factur_x: { xml: '<x/>', level: 'basic' } }, 'profile'],
    ['thumbnail.widht', { thumbnail: { widht: 300 } }, 'width'],
    ['contents.levels', { mode: 'COMPOSE', parts: [good], contents: { levels: 2 } }, 'depth'],
    ['parts[0].pages', { mode: 'COMPOSE', parts: [{ ...good, pages: '1' }] }, 'page_ranges'],
  ])('%s, with the field that is meant', async (field, options, meant) => {
    const { input_type: _, data: __, ...composed } = { ...good, ...options } as Body;
    const response = await caller.postRender('parts' in options ? composed : { ...good, ...options });
    const errors = (response.body['errors'] ?? [response.body]) as Body[];
    expect(errors).toContainEqual(expect.objectContaining({ error: 'invalid_request', field, did_you_mean: meant }));
    expect(response.text).not.toContain('tulip');
  });

  it('template_id', async () => {
    expectErrorResponse(await caller.postRender({ mode: 'RENDER', data: {} }), 'missing_template_id');
  });

  it('page_size and orientation', async () => {
    expectErrorResponse(await caller.postRender({ ...good, page_size: 'A44' }), 'invalid_page_size', {
      received: 'A44',
      valid_values: expect.arrayContaining(['A4', 'A3', 'Letter', 'Legal', 'Tabloid', 'B5', 'JIS-B4']),
    });
    expectErrorResponse(await caller.postRender({ ...good, orientation: 'sideways' }), 'invalid_orientation', {
      received: 'sideways',
    });
  });

  it.each([
    ['margin_top', [-1, 100.1, '20', '11cm', '2em', null]],
    ['width', [100, '9mm', '6000mm', 'auto', null]],
    ['page_ranges', ['0', '3-1', 'all', 7]],
    ['margin_bottom', [-0.01, 1e9]],
    ['margin_left', [101]],
    ['margin_right', [true]],
    ['header_html', [7, {}]],
    ['footer_html', [[]]],
    ['header_height', [-1, '10']],
    ['footer_height', [1000]],
    ['print_background', ['yes', 1]],
    ['scale', [0, 0.09, 2.1, '1']],
    ['wait_for', ['idle', 3]],
    ['wait_time', [-1, 5001, '0']],
    ['emulate_media', ['paper', null]],
    ['page_szie', ['A4']],
    ['__proto__x', [1]],
  ])('%s', async (field, values) => {
    for (const value of values) {
      const { message } = expectErrorResponse(await caller.postRender({ ...good, [field]: value }), 'invalid_request', {
        field,
      });
      expect(message).toContain(field);
    }
  });

  it('page_size with width and height', async () => {
    const both = expectErrorResponse(
      await caller.postRender({ ...good, page_size: 'A4', width: 100, height: 100 }),
      'invalid_request',
      { field: 'width' },
    );
    expect(both.message).toBe('width must not be sent together with page_size: send page_size, or width and height.');
    const single = expectErrorResponse(await caller.postRender({ ...good, height: '10cm' }), 'invalid_request', {
      field: 'height',
    });
    expect(single.message).toBe('height must be sent together with width.');
  });

  it('and a long invalid value is not repeated in the error', async () => {
    const { error } = expectErrorResponse(
      await caller.postRender({ ...good, page_size: 'x'.repeat(10_000) }),
      'invalid_page_size',
    );
    expect(JSON.stringify(error).length).toBeLessThan(500);
  });
});

describe('A body that is not a JSON object is rejected:', () => {
  it.each(['{', '{"mode":', 'mode=CONVERT', '"CONVERT"', '[]', 'null', '42', '{"mode":"CONVERT",}', '\u0000', '﻿{'])(
    '%j',
    async (body) => {
      expectErrorResponse(await caller.postRender(body), 'invalid_request');
    },
  );

  it('an empty body', async () => {
    expectErrorResponse(await caller.postRender(''), 'invalid_request');
    expectErrorResponse(await caller.request('POST', '/api/v1/render'), 'invalid_request');
  });

  it('a body that is not UTF-8', async () => {
    expectErrorResponse(
      await caller.postRender(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
      'invalid_request',
    );
    expectErrorResponse(await caller.postRender(Buffer.from(JSON.stringify(good), 'utf16le')), 'invalid_request');
  });

  it('a compressed body', async () => {
    const refused = expectErrorResponse(
      await caller.postRender(good, { headers: { 'content-encoding': 'gzip' } }),
      'invalid_request',
      { field: 'Content-Encoding' },
    );
    expect(refused.message).toContain('uncompressed');
    expect((await caller.postRender(good, { headers: { 'content-encoding': 'identity' } })).status).toBe(200);
  });

  it('a body of another content type', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'application/x-www-form-urlencoded',
    ])
      expectErrorResponse(await caller.postRender(good, { headers: { 'content-type': type } }), 'invalid_request');
    const headers = { 'content-type': 'application/json, text/plain' };
    expectErrorResponse(await caller.postRender(good, { headers }), 'invalid_request', {
      field: 'Content-Type',
      message: 'The content type must be one media type, such as application/json.',
    });
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON'])
      expect((await caller.postRender(good, { headers: { 'content-type': type } })).status).toBe(200);
  });
});

describe('A body that repeats a field or has a very large field is rejected with the name of the field:', () => {
  const nested = '['.repeat(2_000_000) + ']'.repeat(2_000_000);
  it.each([
    ['data', '{"mode":"CONVERT","input_type":"json","data":{},"data":{}}'],
    ['data', '{"mode":"CONVERT","input_type":"json","d\\u0061ta":[1],"data":{}}'],
    ['data', `{"mode":"CONVERT","input_type":"json","data":${nested},"data":{}}`],
    ['mode', '{"mode":"RENDER","data":{},"mode":"CONVERT"}'],
    ['__proto__', '{"__proto__":{},"__proto__":{}}'],
    ['webhook_headers', `{"mode":"CONVERT","input_type":"json","data":{},"webhook_headers":${nested}}`],
    ['wait_time', `{"mode":"CONVERT","input_type":"json","data":{},"wait_time":${nested}}`],
    ['unknown', `{"mode":"CONVERT","input_type":"json","data":{},"unknown":"${'x'.repeat(1_100_000)}"}`],
  ])('%s', async (field, body) => {
    expectErrorResponse(await caller.postRender(body), 'invalid_request', { field });
  });

  it('on every route', async () => {
    for (const path of [
      '/api/v1/render/async',
      '/api/v1/templates',
      '/api/v1/templates/validate',
      '/api/v1/jobs/redeliver',
    ])
      expectErrorResponse(
        await caller.request('POST', path, {
          headers: { 'content-type': 'application/json' },
          body: `{"data":${nested},"data":{}}`,
        }),
        'invalid_request',
        { field: 'data' },
      );
  });

  it('but not for long texts and data, which are printed', async () => {
    const long = `<p>word \u00e9</p><!--${'\u00e9'.repeat(100_000)}-->`;
    const [first] = await caller.renderedPages('html', long, {
      header_html: `<b>HEAD</b><!--${'x'.repeat(900_000)}-->`,
      footer_html: `<!--${'y'.repeat(100_000)}--><i>FOOT</i>`,
    });
    for (const word of ['word \u00e9', 'HEAD', 'FOOT']) expect(first!.text).toContain(word);
    const [table] = await caller.renderedPages(
      'json',
      Array.from({ length: 40 }, (_, n) => ({ n, filling: 'z '.repeat(1_000) })),
    );
    expect(table!.text).toContain('filling');
  });
});

describe('The query', () => {
  it.each([
    ['page=1&page=2', 'page', 'page was sent 2 times; send it once.'],
    ['page=', 'page', 'page is empty; it must be at least 1.'],
    ['category=letter&category=other', 'category', 'category was sent 2 times; send it once.'],
    ['page=x', 'page', 'page must be a number.'],
  ])('%s is rejected', async (query, field, message) => {
    expectErrorResponse(await caller.request('GET', `/api/v1/templates?${query}`), 'invalid_request', {
      field,
      message,
    });
  });
});

describe('An unknown path gives an error:', () => {
  it.each([
    ['POST', '/api/v1/rendered'],
    ['POST', '/api/v2/render'],
    ['GET', '/api/v1/../../etc/passwd'],
    ['GET', '/nothing'],
    ['GET', '/api/v1/%2e%2e/%00'],
  ])('%s %s', async (method, path) => {
    const body = expectErrorResponse(await caller.request(method, path), 'not_found');
    expect(body.message).toContain(method);
    expect(body.message).toContain('/docs');
  });

  it('a path with an invalid escape', async () => {
    expectErrorResponse(await caller.request('GET', '/api/v1/%zz'), 'invalid_request');
  });
});

describe('An unknown method of a path', () => {
  it.each([
    ['GET', '/api/v1/render', 'POST'],
    ['PUT', '/api/v1/render', 'POST'],
    ['PATCH', '/api/v1/render/async?x=1', 'POST'],
    ['OPTIONS', '/api/v1/render', 'POST'],
    ['PROPFIND', '/api/v1/templates', 'GET, HEAD, POST'],
    ['PATCH', '/api/v1/templates/tpl_1', 'DELETE, GET, HEAD, PUT'],
    ['GET', '/api/v1/templates/tpl_1/test', 'POST'],
    ['DELETE', '/api/v1/jobs/job_1', 'GET, HEAD'],
    ['PUT', '/api/v1/jobs/redeliver', 'GET, HEAD, POST'],
    ['POST', '/api/v1/download/render_1', 'GET, HEAD'],
    ['POST', '/%61pi/v1/usage', 'GET, HEAD'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['DELETE', '/health/ready', 'GET, HEAD'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['PUT', '/openapi.json', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['POST', '/docs/static/colophon.css', 'GET, HEAD'],
  ])('is rejected with the allowed methods: %s %s', async (method, path, allowed) => {
    const response = await caller.request(method, path);
    const { message } = expectErrorResponse(response, 'method_not_allowed', { allowed: allowed.split(', ') });
    expect([response.headers.get('allow'), message]).toEqual([allowed, expect.stringContaining(method)]);
  });

  it('is also rejected without a key and without reading the body; HEAD has no body', async () => {
    const withoutKey = createClient(at.service.url, null);
    expectErrorResponse(
      await withoutKey.request('PUT', '/api/v1/render', {
        body: '{}',
        headers: { 'content-type': 'application/json' },
      }),
      'method_not_allowed',
    );
    expect(await withoutKey.request('HEAD', '/api/v1/render')).toMatchObject({ status: 405, text: '' });
    expect(await withoutKey.request('HEAD', '/health/live')).toMatchObject({ status: 200, text: '' });
  });
});

describe('An unknown path is rejected with the path that was meant:', () => {
  it.each([
    ['POST', '/api/v1/render/', '/api/v1/render'],
    ['POST', '/render', '/api/v1/render'],
    ['GET', '/v1/renders/render_1/', '/api/v1/renders/render_1'],
    ['GET', '/api/v1/templates/', '/api/v1/templates'],
    ['DELETE', '/api/v1/templates/', null],
    ['GET', '/api/v1/rendrs', null],
  ])('%s %s', async (method, path, meant) => {
    const response = await createClient(at.service.url, null).request(method, path);
    const { message } = expectErrorResponse(response, 'not_found');
    const suggestion = meant === null ? '. ' : `; did you mean ${method} ${meant}? `;
    expect(message).toBe(`There is no ${method} ${path}${suggestion}/docs and /openapi.json list all routes.`);
  });
});

describe('The Expect header', () => {
  const post = (more: string): string =>
    `POST /api/v1/templates/validate HTTP/1.1\r\nHost: x\r\nConnection: close\r\n` +
    `Content-Type: application/json\r\nContent-Length: 2\r\n${more}\r\n\r\n`;

  it('may be 100-continue, which the service sends', async () => {
    const { socket, received, closed } = await openRawConnection(at.service.url);
    socket.write(post('Expect: 100-continue'));
    await waitUntil('the service asks for the body', () => received.text.startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    socket.write('{}');
    await closed;
    expectErrorResponse(
      parseHttpResponse(received.text.slice('HTTP/1.1 100 Continue\r\n\r\n'.length)),
      'missing_authorization',
    );
  });

  it('is rejected with any other value, in JSON', async () => {
    expectErrorResponse(await sendRawRequest(at.service.url, `${post('Expect: a-miracle')}{}`), 'expectation_failed', {
      field: 'Expect',
    });
  });
});

describe('A request without a Host header', () => {
  it('is rejected in JSON for HTTP/1.1, which requires one', async () => {
    expectErrorResponse(
      await sendRawRequest(at.service.url, 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n'),
      'invalid_request',
      { field: 'Host' },
    );
    expectErrorResponse(
      await sendRawRequest(at.service.url, 'GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\n'),
      'invalid_request',
      { field: 'Host' },
    );
    expect((await sendRawRequest(at.service.url, 'GET /health/live HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('is rejected as one with two of them', async () => {
    const twice = 'GET /health/live HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n';
    expectErrorResponse(await sendRawRequest(at.service.url, twice), 'invalid_request', { field: 'Host' });
  });
});

describe('Malformed HTTP gets an error in JSON, and the connection is closed:', () => {
  it.each([
    ['text that is not HTTP', 'HELLO\r\n\r\n'],
    ['a header field without a colon', 'GET /health/live HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n'],
    [
      'two Content-Length headers',
      'POST /api/v1/render HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
    ],
    ['a very large header field', `GET /health/live HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`],
  ])('%s', async (_, text) => {
    const { message } = expectErrorResponse(await sendRawRequest(at.service.url, text), 'invalid_request');
    expect(message).not.toContain('method');
  });

  it('a method that HTTP does not know, by its name', async () => {
    const response = await sendRawRequest(at.service.url, 'FOO /api/v1/usage HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(expectErrorResponse(response, 'invalid_request').message).toContain('the method FOO');
    const { socket, received, closed } = await openRawConnection(at.service.url);
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nFOO /api/v1/usage HTTP/1.1\r\nHost: x\r\n\r\n');
    await closed;
    expect(received.text).not.toContain('method');
  });
});
