import { createHash } from 'node:crypto';
import { parse } from 'content-disposition';
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createJobClient, type JobClient, pathAndQueryOf } from '../support/client/job-client.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let client: ApiClient;
let jobs: JobClient;
let key: string;
beforeAll(async () => {
  key = await createUnlimitedKey(at.installation);
  client = createClient(at.service.url, key);
  jobs = createJobClient(client);
});

const square = '<div style="position:absolute;left:0;top:0;width:20mm;height:20mm;background:#00c000"></div>';
/** Pages of 50 mm by 100 mm with a green square in the upper left corner of the first. */
const source = (pages = 1): Body => ({
  mode: 'CONVERT',
  input_type: 'html',
  data: `${square}${Array.from({ length: pages }, (_, page) => `<p style="break-before:page">${page}`).join('')}`.replace(
    'break-before:page',
    '',
  ),
  width: 50,
  height: 100,
  margin_top: 0,
  margin_left: 0,
});

const bytesOf = (base64: unknown): Buffer => Buffer.from(String(base64), 'base64');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const pixelOf = async (file: Uint8Array, left: number, top: number): Promise<number[]> => [
  ...(await sharp(file).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
];
const render = async (fields: Body, pages = 1): Promise<Body> => {
  const response = await client.postRender({ ...source(pages), ...fields });
  expect(response.status, response.text.slice(0, 500)).toBe(200);
  return response.body;
};

type Download = { status: number; type: string | null; name: string | undefined; bytes: Buffer };
const readFile = async (response: Response): Promise<Download> => ({
  status: response.status,
  type: response.headers.get('content-type'),
  name: parse(response.headers.get('content-disposition') ?? 'inline').parameters.filename,
  bytes: Buffer.from(await response.arrayBuffer()),
});
const download = async (url: unknown, headers: Record<string, string> = {}): Promise<Download> =>
  readFile(await fetch(at.service.url + pathAndQueryOf(url), { headers }));
const postFor = async (
  accept: string,
  body: Body,
  path = '/api/v1/render',
): Promise<Download & { headers: Headers }> => {
  const response = await fetch(at.service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  });
  return { ...(await readFile(response)), headers: response.headers };
};

describe('The output of a render', () => {
  it('is the image of a page, in the type, size and resolution that was asked for', async () => {
    for (const [output, contentType, extension] of [
      ['png', 'image/png', 'png'],
      ['jpeg', 'image/jpeg', 'jpg'],
      ['webp', 'image/webp', 'webp'],
    ] as const) {
      const body = await render({ output, dpi: 100 });
      expect(body).toMatchObject({
        status: 'DONE',
        content_type: contentType,
        file_name: `${String(body['id'])}.${extension}`,
        pages: 1,
      });
      expect(body).not.toHaveProperty('pdf_base64');
      const file = bytesOf(body['file_base64']);
      const { format, width, height } = await sharp(file).metadata();
      expect({ format, width, height }).toEqual({ format: output, width: 197, height: 394 });
      const [red, green, blue] = await pixelOf(file, 40, 40);
      expect([red! < 20, Math.abs(green! - 192) < 20, blue! < 20]).toEqual([true, true, true]);
      expect((await pixelOf(file, 150, 300)).slice(0, 3)).toEqual([255, 255, 255]);
    }
  });

  it('leaves the background transparent, and the square not', async () => {
    const { file_base64: base64 } = await render({ output: 'png', transparent: true });
    expect((await pixelOf(bytesOf(base64), 250, 500))[3]).toBe(0);
    expect(await pixelOf(bytesOf(base64), 60, 60)).toEqual([0, 192, 0, 255]);
  });

  it('is a ZIP file for several pages; page_ranges selects one', async () => {
    const body = await render({ output: 'png', dpi: 36, file_name: 'Plan' }, 3);
    expect(body).toMatchObject({ content_type: 'application/zip', file_name: 'Plan.zip', pages: 3 });
    const images = unzipSync(bytesOf(body['file_base64']));
    expect(Object.keys(images)).toEqual(['page-001.png', 'page-002.png', 'page-003.png']);
    const second = await render({ output: 'png', dpi: 36, file_name: 'Plan.png', page_ranges: '2' }, 3);
    expect(second).toMatchObject({ content_type: 'image/png', file_name: 'Plan.png', pages: 1 });
    expect(bytesOf(second['file_base64']).equals(images['page-002.png']!)).toBe(true);
  });

  it('is sent as bytes to a caller that prefers images or ZIP files to JSON', async () => {
    const one = { ...source(), output: 'png', dpi: 36, file_name: 'Plan' };
    const many = { ...source(2), output: 'jpeg', dpi: 36 };
    for (const [accept, body, type] of [
      ['image/png', one, 'image/png'],
      ['image/*', one, 'image/png'],
      ['application/zip', one, 'image/png'],
      ['image/avif, image/webp, image/*;q=0.8, */*;q=0.5', one, 'image/png'],
      ['text/html', one, 'application/json'],
      ['application/pdf, application/json;q=0.1', one, 'application/json'],
      ['*/*', one, 'application/json'],
      ['application/json, image/png;q=0.5', one, 'application/json'],
      ['application/zip', many, 'application/zip'],
      ['image/jpeg', many, 'application/zip'],
    ] as const) {
      const response = await postFor(accept, body);
      expect([accept, response.status, response.type?.split(';')[0]]).toEqual([accept, 200, type]);
    }
    const { headers, name, bytes } = await postFor('image/png', one);
    expect([name, headers.get('x-page-count'), headers.get('vary')]).toEqual(['Plan.png', '1', 'Accept']);
    expect(headers.get('x-render-id')).toMatch(/^render_/);
    expect((await sharp(bytes).metadata()).format).toBe('png');
  });

  it('is also that of a composed document', async () => {
    const parts = ['one', 'two'].map((text) => ({ mode: 'CONVERT', input_type: 'html', data: `<p>${text}` }));
    const composed = { mode: 'COMPOSE', parts, width: 50, height: 50 };
    const images = await client.postRender({ ...composed, output: 'png', dpi: 36 });
    expect(images.body).toMatchObject({ content_type: 'application/zip', pages: 2 });
    const beside = await client.postRender({ ...composed, thumbnail: { width: 40 } });
    expect(beside.body).toMatchObject({ pages: 2, thumbnail_content_type: 'image/png' });
    expect(beside.body).toHaveProperty('pdf_base64');
  });

  it('refuses options that it cannot have, and names what is allowed', async () => {
    for (const [fields, field, message] of [
      [{ output: 'png', conformance: 'pdf/a-3b' }, 'conformance', 'conformance is allowed only with output pdf'],
      [{ output: 'webp', tagged: true }, 'tagged', 'only with output pdf'],
      [{ output: 'png', thumbnail: true }, 'thumbnail', 'only with output pdf'],
      [{ output: 'jpeg', transparent: true }, 'transparent', 'png or webp'],
      [{ output: 'png', quality: 50 }, 'quality', 'jpeg or webp'],
      [{ dpi: 300 }, 'dpi', 'only with output png, jpeg or webp'],
      [{ transparent: true }, 'transparent', 'only with output png or webp'],
      [{ quality: 50 }, 'quality', 'only with output jpeg or webp'],
      [{ output: 'gif' }, 'output', 'png'],
      [{ output: 'png', dpi: 601 }, 'dpi', '600'],
      [{ thumbnail: { width: 5 } }, 'thumbnail', '16'],
    ] as const) {
      const response = await client.postRender({ ...source(), ...fields });
      const { message: text } = expectErrorResponse(response, 'invalid_request', {
        field: expect.stringContaining(field),
      });
      expect(text).toContain(message);
    }
    const large = await client.postRender({ ...source(), width: 420, height: 297, output: 'png', dpi: 600 });
    const error = expectErrorResponse(large, 'image_too_large', { page: 1, max_dpi: expect.any(Number) as number });
    expect(error.message).toContain('Use at most');
    await render({ width: 420, height: 297, output: 'png', dpi: 36, quality: 85, tagged: false });
  });

  it('of a template is replaced by that of a request, with the options that it cannot have', async () => {
    const templates = createTemplateClient(client);
    const { id } = await templates.create('<p>{{x}}', {
      default_options: { output: 'png', dpi: 40, width: 50, height: 50 },
      sample_data: { x: 'Hello' },
    });
    const send = (fields: Body) =>
      client.postRender({ mode: 'RENDER', template_id: id, data: { x: 'Hello' }, ...fields });
    expect((await send({})).body).toMatchObject({ content_type: 'image/png' });
    expect((await send({ output: 'pdf', tagged: true })).body).toHaveProperty('pdf_base64');
    expectErrorResponse(await send({ tagged: true }), 'invalid_request', { field: 'tagged' });
    const test = await templates.send('POST', `/${id}/test`, { data: { x: 'Hello' }, output: 'jpeg' });
    expect(test.body).toMatchObject({ content_type: 'image/jpeg', version: 1 });
    const archived = await templates.create('<html lang=en><title>T</title><p>{{x}}', {
      default_options: { conformance: 'pdf/a-3b', dpi: 50, thumbnail: true },
    });
    const asImage = { mode: 'RENDER', template_id: archived.id, data: { x: 1 }, output: 'png' };
    expect((await client.postRender(asImage)).body).toMatchObject({ content_type: 'image/png' });
    const preview = await templates.send('GET', `/${id}/versions/1/preview`);
    expect(preview.body).toHaveProperty('pdf_base64');
    const wrong = await templates.post({ name: 'x', content: 'x', default_options: { output: 'png', outline: true } });
    expectErrorResponse(wrong, 'invalid_request', { field: 'default_options.outline' });
  });
});

describe('The images of a job', () => {
  it('are downloaded with their type and name, verified and repeated', async () => {
    const { job_id: jobId, id } = await jobs.submitAsync({ output: 'png', dpi: 36, file_name: 'Plan' }, source(2));
    const job = await jobs.waitUntilEnded(jobId);
    expect(job).toMatchObject({
      status: 'DONE',
      output: 'png',
      content_type: 'application/zip',
      file_name: 'Plan.zip',
      pages: 2,
    });
    const file = await download(job.pdf_url);
    expect([file.status, file.type, file.name]).toEqual([200, 'application/zip', 'Plan.zip']);
    expect(sha256(file.bytes)).toBe(job.pdf_sha256);
    const stored = await fetch(`${at.service.url}/api/v1/renders/${id}/pdf`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect((await readFile(stored)).bytes.equals(file.bytes)).toBe(true);
    const verified = await client.request('POST', `/api/v1/renders/${id}/verify`);
    const engine = expect.stringMatching(/, PDFium \(@hyzyla\/pdfium \d[^)]*\), libvips \d/) as unknown;
    expect(verified.body).toMatchObject({
      matches: true,
      recorded: { sha256: job.pdf_sha256, engine },
      now: { engine },
    });
    const repeated = await client.request('POST', `/api/v1/renders/${id}/repeat`);
    expect(repeated.body).toMatchObject({ content_type: 'application/zip', file_name: 'Plan.zip', pages: 2 });
    const list = (await client.request('GET', '/api/v1/renders?limit=5')).body['renders'] as Body[];
    expect(list.find((entry) => entry['id'] === id)).toMatchObject({ output: 'png', content_type: 'application/zip' });
  });

  it('are the same for a repeated request, whether they are kept or not', async () => {
    for (const fields of [{}, { keep_pdf: true }]) {
      const send = () =>
        client.postRender(
          { ...source(), output: 'webp', dpi: 36, ...fields },
          { headers: { 'idempotency-key': `images ${JSON.stringify(fields)}` } },
        );
      const [first, again] = [await send(), await send()];
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      const comparable = ({ body: { id, file_base64, content_type, file_name } }: typeof first) => ({
        id,
        file_base64,
        content_type,
        file_name,
      });
      expect(comparable(again)).toEqual(comparable(first));
      expect(first.body['content_type']).toBe('image/webp');
    }
  });
});

describe('The option thumbnail', () => {
  it('gives an image of the first page beside the PDF', async () => {
    const body = await render({ thumbnail: true }, 2);
    expect(body).toMatchObject({ pages: 2, thumbnail_content_type: 'image/png' });
    const image = bytesOf(body['thumbnail_base64']);
    expect(await sharp(image).metadata()).toMatchObject({ format: 'png', width: 320 });
    expect(await pixelOf(image, 60, 60)).toEqual([0, 192, 0]);
    expect(body).not.toHaveProperty('thumbnail_url');
    const small = await render({ thumbnail: { width: 64 } });
    expect((await sharp(bytesOf(small['thumbnail_base64'])).metadata()).width).toBe(64);
    expect(await render({})).not.toHaveProperty('thumbnail_base64');
    expect(await render({ thumbnail: false })).not.toHaveProperty('thumbnail_base64');
  });

  it('gives a link where the PDF is kept, which needs its token or a key of the account', async () => {
    const kept = await render({ thumbnail: true, keep_pdf: true, file_name: 'Plan' });
    const { job_id: jobId, id } = await jobs.submitAsync({ thumbnail: true, file_name: 'Plan' }, source());
    const job = await jobs.waitUntilEnded(jobId);
    for (const url of [kept['thumbnail_url'], job.thumbnail_url]) {
      const image = await download(url);
      expect([image.status, image.type, image.name]).toEqual([200, 'image/png', 'Plan.png']);
      expect(image.bytes.equals(bytesOf(kept['thumbnail_base64']))).toBe(true);
    }
    const [path] = pathAndQueryOf(job.thumbnail_url).split('?');
    expect((await download(at.service.url + path!, { authorization: `Bearer ${key}` })).status).toBe(200);
    const stranger = await createUnlimitedKey(at.installation);
    expect((await download(at.service.url + path!, { authorization: `Bearer ${stranger}` })).status).toBe(404);
    expect((await download(`${at.service.url}${path!}?token=${id}`)).status).toBe(404);
    const without = await jobs.waitUntilEnded((await jobs.submitAsync({}, source())).job_id);
    expect(without).not.toHaveProperty('thumbnail_url');
    const missing = String(without.pdf_url).replace('?', '/thumbnail?');
    expect((await download(missing)).status).toBe(404);
  });

  it('is the same for a repeated request', async () => {
    for (const fields of [{}, { keep_pdf: true }]) {
      const headers = { 'idempotency-key': `thumbnail ${JSON.stringify(fields)}` };
      const send = () => client.postRender({ ...source(), thumbnail: true, ...fields }, { headers });
      const [first, again] = [await send(), await send()];
      expect(again.body['thumbnail_base64']).toBe(first.body['thumbnail_base64']);
      expect(first.body['thumbnail_base64']).toMatch(/^iVBOR/);
    }
  });
});
