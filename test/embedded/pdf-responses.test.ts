import { createHash } from 'node:crypto';
import { parse } from 'content-disposition';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type ApiResponse, type Body, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createJobClient, pathAndQueryOf } from '../support/client/job-client.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { readPdf, withoutDates } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let client: ApiClient;
let key: string;
beforeAll(async () => {
  key = await createUnlimitedKey(at.installation);
  client = createClient(at.service.url, key);
});

const good = { mode: 'CONVERT', input_type: 'html', data: '<p>one</p><p style="break-before:page">two</p>' };

type PdfResponse = { status: number; headers: Headers; bytes: Buffer };

const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<PdfResponse> => {
  const response = await fetch(at.service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
};
const postForPdf = (body: Body, headers: Record<string, string> = {}): Promise<PdfResponse> =>
  post('/api/v1/render', body, { accept: 'application/pdf', ...headers });
const jsonOf = ({ bytes }: PdfResponse): Body => JSON.parse(bytes.toString()) as Body;
const responseOf = (response: PdfResponse): ApiResponse => ({
  ...response,
  text: response.bytes.toString(),
  body: jsonOf(response),
});
const typeOf = ({ headers }: PdfResponse): string | null => headers.get('content-type');
const fileNameOf = ({ headers }: PdfResponse): string | undefined =>
  parse(headers.get('content-disposition') ?? '').parameters.filename;

describe('Accept: application/pdf on a render', () => {
  it('gives the bytes of the PDF, with what JSON has in headers', async () => {
    const response = await postForPdf(good);
    expect(response.status).toBe(200);
    const renderId = response.headers.get('x-render-id')!;
    expect(renderId).toMatch(/^render_[0-9A-Z]{26}$/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(response.bytes.byteLength),
      'content-disposition': `attachment; filename="${renderId}.pdf"`,
      'x-page-count': '2',
      'x-duration-ms': expect.stringMatching(/^\d+(\.\d+)?$/),
      'x-request-id': expect.stringMatching(/^req_/),
      'x-ratelimit-limit': '1000000',
      'x-quota-limit': '1000000',
      vary: 'Accept',
      'x-content-type-options': 'nosniff',
    });
    const pages = await readPdf(response.bytes.toString('base64'));
    expect(pages.map(({ text }) => text)).toEqual(['one', 'two']);
    const { body } = await client.postRender(good);
    expect(withoutDates(String(body['pdf_base64']))).toBe(withoutDates(response.bytes.toString('base64')));
  });

  it.each([
    ['application/pdf', 'application/pdf'],
    ['Application/PDF', 'application/pdf'],
    ['application/pdf, application/json;q=0.5', 'application/pdf'],
    ['application/json;q=0.5, application/pdf', 'application/pdf'],
    ['application/pdf, */*', 'application/pdf'],
    ['text/html, application/pdf;q=0.9, */*;q=0.8', 'application/pdf'],
    ['application/json;q=0, */*', 'application/pdf'],
    ['application/json, application/pdf;q=0.5', 'application/json'],
    ['application/pdf;q=0, */*', 'application/json'],
    ['application/pdf;q=0', 'application/json'],
    ['application/*', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
    ['application/pdfx', 'application/json'],
    ['application/pdf-a', 'application/json'],
    ['', 'application/json'],
    ['////;;;q=x,,', 'application/json'],
    [`${'application/pdf;q=0.1,'.repeat(500)}application/json`, 'application/json'],
  ])('is weighed against other types: %s', async (accept, type) => {
    const response = await post('/api/v1/render', { ...good, data: '<p>x' }, { accept });
    expect([response.status, typeOf(response)?.split(';')[0]]).toEqual([200, type]);
  });

  it('leaves errors and jobs in JSON', async () => {
    expectErrorResponse(responseOf(await postForPdf({ ...good, scale: 9 })), 'invalid_request', { field: 'scale' });
    const failed = expectErrorResponse(responseOf(await postForPdf({ ...good, data: '<p' })), 'invalid_html');
    expect(failed['render_id']).toMatch(/^render_/);
    expectErrorResponse(responseOf(await postForPdf(good, { authorization: 'Bearer wrong' })), 'invalid_api_key');
    expect(jsonOf(await post('/api/v1/render/async', good, { accept: 'application/pdf' }))).toMatchObject({
      status: 'QUEUED',
    });
    expect(jsonOf(await postForPdf({ ...good, webhook_url: 'https://example.com/hook' }))).toMatchObject({
      status: 'QUEUED',
    });
  });

  it('decides the format of a repeated request, not of the first', async () => {
    const once = { 'idempotency-key': 'pdf or json' };
    const first = await postForPdf({ ...good, file_name: 'Invoice' }, once);
    const inJson = await post('/api/v1/render', { ...good, file_name: 'Invoice' }, once);
    const again = await postForPdf({ ...good, file_name: 'Invoice' }, once);
    expect(typeOf(first)).toBe('application/pdf');
    expect(jsonOf(inJson)).toMatchObject({
      id: first.headers.get('x-render-id'),
      pdf_base64: first.bytes.toString('base64'),
    });
    for (const repeated of [inJson, again]) expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect(again.bytes.equals(first.bytes)).toBe(true);
    for (const name of ['x-render-id', 'x-page-count', 'content-disposition', 'x-ratelimit-limit', 'x-quota-limit'])
      expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
  });

  it('also works on a template test', async () => {
    const { id } = await createTemplateClient(client).create('<p>Hello {{name}}</p>', {
      default_options: { file_name: 'Greeting' },
    });
    const response = await post(
      `/api/v1/templates/${id}/test`,
      { data: { name: 'Ines' } },
      { accept: 'application/pdf' },
    );
    expect([response.status, typeOf(response), fileNameOf(response)]).toEqual([200, 'application/pdf', 'Greeting.pdf']);
    expect((await readPdf(response.bytes.toString('base64')))[0]!.text).toBe('Hello Ines');
    const path = `/api/v1/templates/${id}/test`;
    const wrong = await post(path, { data: {} }, { accept: 'application/pdf' });
    expectErrorResponse(responseOf(wrong), 'template_render_error', { missing_variable: 'name' });
  });

  it('also works on the repeat of a render, and on a form', async () => {
    const first = await postForPdf({ ...good, file_name: 'Once' });
    const path = `/api/v1/renders/${first.headers.get('x-render-id')}/repeat`;
    const repeated = await post(path, { file_name: 'Again' }, { accept: 'application/pdf' });
    expect([repeated.status, typeOf(repeated), fileNameOf(repeated)]).toEqual([200, 'application/pdf', 'Again.pdf']);
    const form = new FormData();
    form.append('file', new Blob(['# Minutes']), 'Protokoll März.md');
    const response = await fetch(`${at.service.url}/api/v1/render`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, accept: 'application/pdf' },
      body: form,
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(parse(response.headers.get('content-disposition')!).parameters.filename).toBe('Protokoll März.pdf');
  });
});

describe('The option file_name', () => {
  it.each([
    ['invoice.pdf', 'attachment; filename="invoice.pdf"'],
    [' Invoice 7 ', 'attachment; filename="Invoice 7.pdf"'],
    ['A.PDF', 'attachment; filename="A.PDF"'],
    ['2026.06', 'attachment; filename="2026.06.pdf"'],
    ['Rückzahlung', `attachment; filename="Ruckzahlung.pdf"; filename*=UTF-8''R%C3%BCckzahlung.pdf`],
    ['発票', `attachment; filename="__.pdf"; filename*=UTF-8''%E7%99%BA%E7%A5%A8.pdf`],
    ['🧾👨‍👩‍👧', undefined],
    [
      'say "hi"; filename=x',
      `attachment; filename="say _hi_; filename=x.pdf"; filename*=UTF-8''say%20%22hi%22%3B%20filename%3Dx.pdf`,
    ],
    ['50%25', `attachment; filename="50_25.pdf"; filename*=UTF-8''50%2525.pdf`],
    ['x'.repeat(196), `attachment; filename="${'x'.repeat(196)}.pdf"`],
  ])('names the file: %s', async (name, header) => {
    const response = await postForPdf({ ...good, file_name: name });
    expect(response.status, response.bytes.toString().slice(0, 300)).toBe(200);
    if (header) expect(response.headers.get('content-disposition')).toBe(header);
    expect(fileNameOf(response)).toBe(/\.pdf$/i.test(name) ? name : `${name.trim()}.pdf`);
  });

  it.each([
    ['a carriage return', 'a\r\nSet-Cookie: x=1'],
    ['a null character', 'a\u0000'],
    ['a slash', '../../etc/passwd'],
    ['a backslash', 'C:\\x'],
    ['only dots', '...'],
    ['a dot at the beginning', '.pdf'],
    ['bidirectional control', 'fdp.\u202Eexe'],
    ['an isolate', '\u2066x'],
    ['a line separator', 'a\u2028b'],
    ['an invisible space', 'a\u200B'],
    ['half a character', 'a\uD800'],
    ['no text', ''],
    ['only spaces', '   '],
    ['201 characters', 'x'.repeat(201)],
    ['201 characters with .pdf', 'x'.repeat(197)],
    ['a megabyte', 'x'.repeat(1_000_000)],
    ['a megabyte of marks', 'e\u0301\u0323'.repeat(150_000)],
    ['a number', 7],
    ['a list', ['a.pdf']],
  ])('is rejected with %s', async (_, name) => {
    const response = await postForPdf({ ...good, file_name: name });
    const error = expectErrorResponse(responseOf(response), 'invalid_request', { field: 'file_name' });
    expect(String(error.message).length).toBeLessThan(300);
  });

  it('names the download of a job, which shows it', async () => {
    const jobs = createJobClient(client);
    const { job_id } = await jobs.submitAsync({ file_name: 'Übersicht' });
    const job = await jobs.waitUntilEnded(job_id);
    expect(job.file_name).toBe('Übersicht.pdf');
    const download = await fetch(at.service.url + pathAndQueryOf(job.pdf_url));
    const bytes = Buffer.from(await download.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(job.pdf_sha256);
    expect(parse(download.headers.get('content-disposition')!).parameters.filename).toBe('Übersicht.pdf');
    const [requested] = await jobs.events(job_id);
    expect(requested!.data).toMatchObject({ file_name: 'Übersicht.pdf' });
    const unnamed = await jobs.waitUntilEnded((await jobs.submitAsync()).job_id);
    expect(unnamed).not.toHaveProperty('file_name');
  });

  it('of a request replaces that of its template, and null asks for the default', async () => {
    const { id } = await createTemplateClient(client).create('<p>x</p>', { default_options: { file_name: 'Preset' } });
    const named = async (fields: Body): Promise<string | undefined> =>
      fileNameOf(await postForPdf({ mode: 'RENDER', template_id: id, data: {}, ...fields }));
    expect(await named({})).toBe('Preset.pdf');
    expect(await named({ file_name: 'Own' })).toBe('Own.pdf');
    expect(await named({ file_name: null })).toMatch(/^render_.*\.pdf$/);
  });
});
