import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorName } from '#contracts/http/errors.ts';
import { createUnlimitedKey, openAccount, issueKey } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient, type RenderResult } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { file, type FormEntry, postForm, postRawForm, svgOf } from '../support/client/multipart.ts';
import { type PdfPage, readPdf, readPdfWithColours, withoutDates } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let key: string;
let caller: ApiClient;
beforeAll(async () => {
  key = await createUnlimitedKey(at.installation);
  caller = createClient(at.service.url, key);
});

const pagesOf = async (...entries: FormEntry[]): Promise<PdfPage[]> => {
  const response = await postForm(caller, entries);
  expect(response.status, response.text.slice(0, 500)).toBe(200);
  return readPdf((response.body as RenderResult).pdf_base64);
};
const refused = async (entries: FormEntry[], name: ErrorName, fields: Body = {}): Promise<string> =>
  expectErrorResponse(await postForm(caller, entries), name, fields).message!;

const agreement = await readFile(new URL('../fixtures/documents/agreement.docx', import.meta.url));

describe('The input type of an uploaded file follows from', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['report.md', '# Über *uns*', 'Über uns'],
    ['REPORT.MARKDOWN', '\ufeff# Title', 'Title'],
    ['a.htm', '<p>Text &amp; more', 'Text & more'],
    ['a.csv', 'Item,Price\nPaper,4.20\n', 'Paper'],
    ['a.tsv', 'Item\tPrice\nPaper, thick\t4.20\n', 'Paper, thick'],
    ['a.json', '[{"city":"Graz"}]', 'Graz'],
    ['a.xml', '<a><b>Text</b></a>', 'Text'],
    ['C:\\docs\\agreement.docx', agreement, 'Agreement'],
  ])('its name: %s', async (name, content, text) => {
    const [page] = await pagesOf(['file', file(name, content)]);
    expect(page!.text).toMatch(new RegExp(text, 'i'));
  });

  it.each<[string, string | undefined, Record<string, string>]>([
    ['the field input_type, before its content type', 'text/html', { input_type: 'markdown' }],
    ['its content type, before its name', 'text/markdown', {}],
    ['its content type with a charset', 'text/markdown; charset=utf-8', {}],
    ['input_type in options', undefined, { options: '{"input_type":"markdown"}' }],
  ])('%s', async (_, type, fields) => {
    const [page] = await pagesOf(['file', file('a.html', '# Title', type)], ...Object.entries(fields));
    expect(page!.text).toContain('Title');
    expect(page!.text).not.toContain('#');
  });

  it('not a part of another name, which the error names', async () => {
    const message = await refused([['document', file('a.md', '# A')]], 'missing_data', { field: 'file' });
    expect(message).toContain('A file is in the part "document": rename that part to file.');
    expect(await refused([['file', 'minutes.md']], 'invalid_input_type')).toContain('-F file=@report.md');
  });

  it('neither an unknown name nor a general content type', async () => {
    for (const [given, advice] of [
      [file('report.pages', 'x'), '.docx'],
      [file('report', 'x', 'text/plain'), '.docx'],
      [file('a.pdf', 'x', 'application/pdf'), 'a part of a composed document'],
      [file('scan.png', 'x', 'image/png'), 'Send HTML that shows it'],
      [file('scan.png', 'x', 'application/octet-stream'), 'Send HTML that shows it'],
    ] as const) {
      const message = await refused([['file', given]], 'invalid_input_type', {
        field: 'input_type',
        valid_values: ['html', 'docx', 'markdown', 'xml', 'csv', 'json', 'odt', 'rtf', 'doc', 'xlsx', 'pptx'],
      });
      expect(message).toContain(advice);
    }
  });
});

describe('An uploaded file', () => {
  it('is not base64, even if it looks like it', async () => {
    const text = Buffer.from('# This is a heading').toString('base64');
    expect((await pagesOf(['file', file('a.md', text)]))[0]!.text).toContain(text);
  });

  it('has the same PDF as the same text in JSON', async () => {
    const response = await postForm(caller, [
      ['file', file('a.md', '# Title')],
      ['page_size', 'A5'],
    ]);
    const { pdf_base64 } = await caller.render('markdown', '# Title', { page_size: 'A5' });
    expect(withoutDates((response.body as RenderResult).pdf_base64)).toBe(withoutDates(pdf_base64));
  });

  it('gives the PDF its name', async () => {
    const nameOf = async (...entries: FormEntry[]) =>
      (await postForm(caller, entries, { headers: { accept: 'application/pdf' } })).headers.get('content-disposition');
    expect(await nameOf(['file', file('docs/report.v2.md', 'x')])).toContain('report.v2.pdf');
    expect(await nameOf(['file', file('report.md', 'x')], ['file_name', 'other'])).toContain('other.pdf');
    expect(await nameOf(['file', file('.md', 'x')], ['input_type', 'markdown'])).toMatch(/render_/);
  });

  it.each<[string, Uint8Array, ErrorName]>([
    ['Latin-1 text', Buffer.from('<p>Größe', 'latin1'), 'invalid_html'],
    ['UTF-16 text', Buffer.from('\ufeff<p>x', 'utf16le'), 'invalid_html'],
    ['a NUL character', Buffer.from('<p>\0'), 'invalid_html'],
  ])('with %s is refused as in JSON', async (_, content, error) => {
    expect(await refused([['file', file('a.html', content)]], error)).toMatch(/UTF-8/);
  });

  it('may be the field data instead, which stays the text that it is', async () => {
    const textOf = async (data: string, type: string) => (await pagesOf(['data', data], ['input_type', type]))[0]!.text;
    expect(await textOf('{"city": "Graz"}', 'json')).toContain('Graz');
    expect(await textOf('[12.50, 7]', 'json')).toContain('12.50');
    expect(await textOf('[12.50]', 'markdown')).toContain('[12.50]');
    expect(await textOf('[1,2]', 'csv')).toContain('2]');
  });

  it('that is no DOCX is refused', async () => {
    expect(await refused([['file', file('a.docx', 'text')]], 'invalid_docx')).toContain('zip archive');
  });
});

describe('Options of a form', () => {
  it('are numbers, booleans and objects as their schema says', async () => {
    const [page] = await pagesOf(
      ['file', file('a.md', 'x')],
      ['width', '100'],
      ['height', '150mm'],
      ['margin_top', ' 12.5 '],
      ['scale', '0.5'],
      ['print_background', 'off'],
      ['orientation', ''],
      ['emulate_media', 'screen'],
    );
    expect([page!.width, page!.height].map(Math.round)).toEqual([100, 150]);
  });

  it('may be JSON in options, and a field of its own wins', async () => {
    const options = JSON.stringify({
      page_size: 'A3',
      orientation: 'landscape',
      header_html: '<b>JSON</b>',
      margin_top: 30,
    });
    const [page] = await pagesOf(
      ['file', file('a.md', 'x')],
      ['options', file('options.json', options, 'application/json')],
      ['page_size', 'A5'],
      ['header_html', file('header.html', '<b>Own</b>')],
    );
    expect([page!.width, page!.height].map(Math.round)).toEqual([210, 148]);
    expect(page!.text).toContain('Own');
    expect(page!.text).not.toContain('JSON');
  });

  it('may be a list, separated by commas', async () => {
    const response = await postForm(caller, [
      ['file', file('a.md', '---\nlang: en\n---\n# Minutes')],
      ['conformance', 'pdf/a-3b, pdf/ua-1'],
    ]);
    const pdf = Buffer.from(String(response.body['pdf_base64']), 'base64').toString('latin1');
    expect([pdf.includes('<pdfaid:part>3<'), pdf.includes('<pdfuaid:part>1<')]).toEqual([true, true]);
  });

  it('make the render asynchronous with a webhook_url', async () => {
    const response = await postForm(caller, [
      ['file', file('a.md', 'x')],
      ['webhook_url', 'https://example.com/hook'],
      ['webhook_headers', '{"X-Tenant":"north"}'],
    ]);
    expect(response.body).toMatchObject({ status: 'QUEUED', webhook_url: 'https://example.com/hook' });
    const queued = await postForm(caller, [['file', file('a.md', 'x')]], { path: '/api/v1/render/async' });
    expect(queued.body).toMatchObject({ status: 'QUEUED' });
  });

  it.each<[string, string, string]>([
    ['margin_top', 'wide', 'margin_top'],
    ['margin_top', '500', 'margin_top'],
    ['margin_top', '0x10', 'margin_top'],
    ['print_background', 'maybe', 'print_background'],
    ['webhook_headers', '{"a":', 'webhook_headers'],
    ['landscape', 'true', 'landscape'],
    ['__proto__', '{"polluted":true}', '__proto__'],
    ['constructor', 'x', 'constructor'],
    ['options', '{"page_size":', 'options'],
    ['options', '[]', 'options'],
    ['options', '{"margin_top":1,"margin_top":2}', 'options.margin_top'],
    ['options', '{"__proto__":{"polluted":1}}', '__proto__'],
    ['input_type', 'url', 'file'],
    ['data', 'x', 'data'],
    ['template_id', 'tpl_1', 'file'],
    ['mode', 'RENDER', 'file'],
  ])('are refused with the name of the field: %s=%s', async (name, value, field) => {
    await refused(
      [
        ['file', file('a.md', 'x')],
        [name, value],
      ],
      'invalid_request',
      { field },
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('are refused if they are not UTF-8', async () => {
    const entries: FormEntry[] = [
      ['file', file('a.md', 'x')],
      ['header_html', file('h.html', Buffer.from([0xe4]))],
    ];
    expect(await refused(entries, 'invalid_request', { field: 'header_html' })).toContain('UTF-8');
  });
});

describe('A template', () => {
  it('is rendered with data from a field or a file, and mode may be absent', async () => {
    const { body } = await caller.request('POST', '/api/v1/templates', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'multipart', content: '<p>{{name}}' }),
    });
    const id = body.id as string;
    const large = JSON.stringify({ name: 'Large', unused: '.'.repeat(100_000) });
    for (const data of ['{"name":"Field"}', file('data.json', '\ufeff {"name":"File"}'), file('data.json', large)]) {
      const [page] = await pagesOf(['template_id', id], ['template_version', '1'], ['data', data]);
      expect(page!.text).toMatch(/Field|File|Large/);
    }
    await refused(
      [
        ['template_id', id],
        ['data', '[1]'],
      ],
      'invalid_request',
      { field: 'data' },
    );
    await refused(
      [
        ['template_id', id],
        ['data', '{"name":'],
      ],
      'invalid_request',
      { field: 'data' },
    );
    await refused([['template_id', id]], 'invalid_request', { field: 'data' });
  });
});

const part = (head: string, content: string): string => `--XX\nContent-Disposition: ${head}\n\n${content}\n`;
const html = part('form-data; name="file"; filename="a.html"', '<p>x');
const end = '--XX--\n';

describe('A multipart body is refused if it has', () => {
  it.each<[string, string, ErrorName, string]>([
    ['no part', end, 'missing_data', 'file'],
    ['no file', part('form-data; name="page_size"', 'A4') + end, 'missing_data', 'file'],
    ['an empty file', part('form-data; name="file"; filename="a.md"', '') + end, 'missing_data', 'file'],
    ['two files', html + html + end, 'invalid_request', 'file'],
    ['a field twice', `${html}${part('form-data; name="scale"', '1').repeat(2)}${end}`, 'invalid_request', 'scale'],
    ['a part without a name', html + part('form-data', 'x') + end, 'invalid_request', 'parts[1]'],
    ['a part of another kind', html + part('attachment; name="a"', 'x') + end, 'invalid_request', 'parts[1]'],
    ['a part without headers', `${html}--XX\n\nx\n${end}`, 'invalid_request', 'parts[1]'],
    ['an asset without a name', html + part('form-data; name="assets"', 'x') + end, 'invalid_request', 'assets'],
    [
      'encoded parts',
      html.replace('\n\n', '\nContent-Transfer-Encoding: base64\n\n') + end,
      'invalid_request',
      'parts[0]',
    ],
    [
      'headers that are too large',
      `--XX\nX-A: ${'a'.repeat(20_000)}\n${html.slice(5)}${end}`,
      'invalid_request',
      'parts[0]',
    ],
    ['too many parts', html + part('form-data; name="a"', 'x').repeat(5000) + end, 'invalid_request', 'parts[600]'],
    [
      'too many assets',
      html + part('form-data; name="assets"; filename="a"', 'x').repeat(501) + end,
      'invalid_request',
      'assets',
    ],
    ['no end', html, 'invalid_request', 'Content-Type'],
    ['no boundary in it', '{"mode":"CONVERT"}', 'invalid_request', 'Content-Type'],
  ])('%s', async (_, body, error, field) => {
    expectErrorResponse(await postRawForm(caller, body), error, { field });
  });

  it('a large field, however valid', async () => {
    const large = part('form-data; name="wait_time"', ' '.repeat(1_100_000));
    const { message } = expectErrorResponse(await postRawForm(caller, html + large + end), 'invalid_request', {
      field: 'wait_time',
    });
    expect(message).toContain('1 MB');
  });

  it('a name of a field that is very long', async () => {
    const long = part(`form-data; name="${'n'.repeat(7000)}"`, 'x');
    const { field, message } = expectErrorResponse(await postRawForm(caller, html + long + end), 'invalid_request');
    expect([(field as string).length < 300, message!.length < 1000]).toEqual([true, true]);
  });

  it.each(['multipart/form-data', 'multipart/form-data; boundary=', `multipart/form-data; boundary=${'x'.repeat(71)}`])(
    'the content type %s',
    async (contentType) => {
      const response = await postRawForm(caller, html + end, { contentType });
      expectErrorResponse(response, 'invalid_request', { field: 'Content-Type' });
    },
  );

  it('a content encoding, no bytes, or another path', async () => {
    const encoded = await postRawForm(caller, html + end, { headers: { 'content-encoding': 'gzip' } });
    expectErrorResponse(encoded, 'invalid_request', { field: 'Content-Encoding' });
    expectErrorResponse(await postRawForm(caller, ''), 'invalid_request', { field: 'body' });
    const elsewhere = await postForm(caller, [['name', 'x']], { path: '/api/v1/templates' });
    expectErrorResponse(elsewhere, 'invalid_request', { field: 'Content-Type' });
  });

  it('more than 10 MB, or a key without permission', async () => {
    const large = [['file', file('a.md', Buffer.alloc(11 * 1024 * 1024, 'x'))]] as FormEntry[];
    expectErrorResponse(await postForm(caller, large), 'payload_too_large', { max_size_mb: 10 });
    const account = await openAccount(at.installation);
    const reader = await issueKey(at.installation, account, '--permissions', 'jobs:read');
    const response = await postForm(createClient(at.service.url, reader.key), [['file', file('a.md', 'x')]]);
    expectErrorResponse(response, 'insufficient_permissions');
  });
});

describe('A repeated form with an Idempotency-Key', () => {
  const entries = (content: string): FormEntry[] => [
    ['file', file('a.html', '<img src=a.svg>')],
    ['assets', file('a.svg', content)],
  ];

  it('has the same PDF, although each request has another boundary', async () => {
    const headers = { 'idempotency-key': 'multipart-1' };
    const first = await postForm(caller, entries(svgOf('#123456')), { headers });
    const second = await postForm(caller, entries(svgOf('#123456')), { headers });
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body.id).toBe(first.body.id);
    expect(second.body.pdf_base64).toBe(first.body.pdf_base64);
  });

  it('is a conflict if an asset differs', async () => {
    const headers = { 'idempotency-key': 'multipart-2' };
    await postForm(caller, entries(svgOf('#123456')), { headers });
    expectErrorResponse(await postForm(caller, entries(svgOf('#123457')), { headers }), 'idempotency_conflict');
  });
});

describe('A form of', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'colophon-multipart-'));
    await mkdir(join(folder, 'img'));
    await writeFile(join(folder, 'report.md'), '# Report\n\n![Logo](img/löwe.svg)\n');
    await writeFile(join(folder, 'img', 'löwe.svg'), svgOf('#abcdef'));
    await writeFile(join(folder, 'options.json'), '{"page_size":"A5"}');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(['assets=@img/löwe.svg', 'assets[]=@img/löwe.svg;filename=img/löwe.svg'])(
    'curl, with -F %s',
    async (asset) => {
      const { stdout } = await promisify(execFile)(
        'curl',
        [
          ...['-sS', '-H', `Authorization: Bearer ${key}`, '-F', 'file=@report.md', '-F', asset],
          ...['-F', 'options=<options.json', '-F', 'margin_top=25', `${at.service.url}/api/v1/render`],
        ],
        { cwd: folder, maxBuffer: 10_000_000 },
      );
      const [page] = await readPdfWithColours((JSON.parse(stdout) as RenderResult).pdf_base64);
      expect(page!.colours).toContain('#abcdef');
      expect(Math.round(page!.width)).toBe(148);
    },
  );

  it('Python requests', async () => {
    const body =
      '--XX\nContent-Disposition: form-data; name="page_size"\n\nA5\n' +
      '--XX\nContent-Disposition: form-data; name="assets"; filename*=utf-8\'\'img%2Fl%C3%B6we.svg\n\n' +
      `${svgOf('#abcdef')}\n` +
      '--XX\nContent-Disposition: form-data; name="file"; filename="report.md"\nContent-Type: text/markdown\n\n' +
      '![Logo](img/löwe.svg)\n--XX--\n';
    const response = await postRawForm(caller, body, { contentType: 'multipart/form-data; boundary="XX"' });
    expect(response.status, response.text.slice(0, 300)).toBe(200);
    const [page] = await readPdfWithColours((response.body as RenderResult).pdf_base64);
    expect(page!.colours).toContain('#abcdef');
  });
});
