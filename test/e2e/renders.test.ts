import { beforeAll, describe, expect, it } from 'vitest';
import {
  type RenderRecordResponse,
  renderHistoryResponse,
  renderListResponse,
  renderRecordResponse,
} from '#contracts/http/renders.ts';
import { renderDetailResponse } from '#contracts/http/render-detail.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiClient, type ApiResponse, type Body, createClient } from '../support/client/api-client.ts';
import { createJobClient, type JobClient, pathAndQueryOf } from '../support/client/job-client.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { pdfBytes, readPdf, withoutDates } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { sha256Of } from '../support/sha256.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = sharedService();
const broken = '<p>never closed <!-- ';
let account: string;
let key: { id: string; key: string };
let client: ApiClient;
let jobs: JobClient;

const openClient = async (): Promise<void> => {
  account = await openAccount(at.installation, '--requests-per-minute', '100000', '--plan', 'enterprise');
  key = await issueKey(at.installation, account);
  client = createClient(at.service.url, key.key);
  jobs = createJobClient(client);
};
beforeAll(openClient);

const get = (path: string): Promise<ApiResponse> => client.request('GET', `/api/v1/renders${path}`);
const record = async (id: unknown): Promise<RenderRecordResponse> => {
  const response = await waitUntil('the read model has its end', async () => {
    const one = await get(`/${String(id)}`);
    return one.status === 200 && one.body['status'] !== 'DONE' && one.body['status'] !== 'FAILED' ? null : one;
  });
  expect(response.status, response.text).toBe(200);
  // Without the details, which only this route has.
  return renderRecordResponse.parse(renderDetailResponse.strict().parse(response.body));
};
const page = async (query: string) => {
  const response = await get(`?${query}`);
  expect(response.status, response.text).toBe(200);
  return renderListResponse.parse(response.body);
};
const idsOf = async (query: string): Promise<string[]> => (await page(query)).renders.map(({ id }) => id);
const repeat = (id: unknown, body?: Body): Promise<ApiResponse> =>
  client.request(
    'POST',
    `/api/v1/renders/${String(id)}/repeat`,
    body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
const bytesAt = async (path: string, headers: Record<string, string> = {}): Promise<Buffer> => {
  const response = await fetch(at.service.url + path, { headers });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
};

it('Each of many concurrent requests gets its own document', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `document number ${index}.`);
  const texts = await Promise.all(
    names.map(async (name, index) => {
      const pages = await client.renderedPages('html', `<p>${name}</p>${index % 5 === 0 ? '<script>1</script>' : ''}`);
      return pages.map(({ text }) => text.trim());
    }),
  );
  expect(texts).toEqual(names.map((name) => [name]));
});

it('A preview reaches the renderer, also if it is larger than a message of the bus', async () => {
  for (const content of ['<p>{{end}}</p>', `<p>{{end}}</p><!-- ${'long '.repeat(200_000)} -->`]) {
    const data = { end: 'arrived' };
    const { status, body, text } = await jobs.postJson('/api/v1/templates/preview', { content, data });
    expect(status, text.slice(0, 300)).toBe(200);
    expect((await readPdf(String(body['pdf_base64']))).map((one) => one.text).join('')).toContain('arrived');
  }
});

describe('GET /renders/{id}', () => {
  it('returns a synchronous render with its result as soon as its response is sent', async () => {
    const rendered = await client.render('html', '<p>one', { file_name: 'one' });
    const found = await record(rendered.id);
    expect(found).toEqual({
      id: rendered.id,
      status: 'DONE',
      asynchronous: false,
      key_id: key.id,
      requested_by: { kind: 'key', id: key.id, name: 'unnamed' },
      template_test: false,
      mode: 'CONVERT',
      input_type: 'html',
      file_name: 'one.pdf',
      created_at: rendered.created_at,
      started_at: expect.any(String),
      completed_at: expect.any(String),
      duration_ms: rendered.duration_ms,
      pages: 1,
      file_size_kb: rendered.file_size_kb,
      pdf_sha256: sha256Of(pdfBytes(rendered.pdf_base64)),
      timings_ms: {
        queue: expect.any(Number),
        prepare: expect.any(Number),
        wait: expect.any(Number),
        load: expect.any(Number),
        print: expect.any(Number),
        finish: 0,
        total: rendered.duration_ms,
      },
    });
    expect((await page('limit=1')).renders).toEqual([found]);
    expect(await record(rendered.id.replace('render', 'job'))).toEqual(found);
  });

  it('returns a failed render with its error, and an asynchronous one with its callback', async () => {
    const failed = await client.convert('html', broken);
    expect(await record(failed.body['render_id'])).toMatchObject({
      status: 'FAILED',
      error: 'invalid_html',
      message: failed.body.message,
      failed_at: expect.any(String),
    });
    const { id, job_id } = await jobs.submit({ webhook_url: 'https://example.com/hook?key=secret' });
    const job = await jobs.waitUntilEnded(job_id);
    const { webhook_url, ...found } = await record(id);
    expect(found).toMatchObject({ job_id, asynchronous: true, status: 'DONE', pdf_sha256: job.pdf_sha256 });
    expect(webhook_url).toBe('https://example.com/hook?key=***');
    expect(found.webhook_status).toBeDefined();
  });

  it('returns the diagnostics if requested', async () => {
    const { id } = await client.render('html', '<p>diagnosed');
    expect((await get(`/${id}?diagnostics=true`)).body).toMatchObject({ id, diagnostics: { render_mode: 'static' } });
  });
});

describe('GET /renders', () => {
  it('lists every render newest first, in pages that new renders do not change', async () => {
    await openClient();
    const made: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      made.unshift((await client.render('html', `<p>${n}`)).id);
      made.unshift((await jobs.submitAsync()).id);
    }
    const first = await page('limit=4');
    const newer = await client.render('html', '<p>newer');
    const second = await page(`limit=4&cursor=${first.next_cursor}`);
    expect([first, second].flatMap(({ renders }) => renders.map(({ id }) => id))).toEqual(made);
    expect(second.next_cursor).toBeNull();
    expect(await idsOf('limit=1')).toEqual([newer.id]);
  });

  it('filters by each field and by several', async () => {
    await openClient();
    const templates = createTemplateClient(client);
    const template = (await templates.create('<p>{{x}}')).id;
    const otherKey = await issueKey(at.installation, account);
    const html = (await client.render('html', '<p>x')).id;
    const csv = (await createClient(at.service.url, otherKey.key).render('csv', 'a,b\n1,2')).id;
    const failed = String((await client.convert('html', broken)).body['render_id']);
    const queued = await jobs.submitAsync();
    await jobs.waitUntilEnded(queued.job_id);
    const rendered = String((await templates.render(template, { x: 1 })).body['id']);
    const tested = String((await templates.send('POST', `/${template}/test`, { data: { x: 1 } })).body['id']);
    const all = [tested, rendered, queued.id, failed, csv, html];
    const expected: Record<string, string[]> = {
      '': all,
      'status=FAILED': [failed],
      'status=QUEUED': [],
      'mode=RENDER': [tested, rendered],
      'mode=CONVERT': [queued.id, failed, csv, html],
      'input_type=csv': [csv],
      [`template_id=${template}`]: [tested, rendered],
      [`key_id=${otherKey.id}`]: [csv],
      'error=invalid_html': [failed],
      'error=internal_error': [],
      'asynchronous=true': [queued.id],
      'asynchronous=false': [tested, rendered, failed, csv, html],
      'asynchronous=false&status=DONE': [tested, rendered, csv, html],
      [`key_id=${key.id}&mode=CONVERT&status=DONE`]: [queued.id, html],
      [`since=${(await record(failed)).created_at}&input_type=html`]: [queued.id, failed],
      [`until=${(await record(failed)).created_at}`]: [csv, html],
    };
    const found = Object.fromEntries(
      await Promise.all(Object.keys(expected).map(async (query) => [query, await idsOf(query)] as const)),
    );
    expect(found).toEqual(expected);
    const record_ = await record(tested);
    expect(record_).toMatchObject({ template_test: true, template_id: template, template_version: 1 });
  });
});

describe('GET /renders/{id}/events', () => {
  it('lists the events with ids and names in the form of the API, as for jobs, without secrets', async () => {
    const template = (await createTemplateClient(client).create('<p>{{x}}')).id;
    const { id, job_id } = await jobs.submit(
      { webhook_url: 'https://example.com/hook', webhook_headers: { 'X-MyToken': 'canary-1' }, scale: 0.5 },
      { mode: 'RENDER', template_id: template, data: { x: 1 } },
    );
    await jobs.waitUntilEnded(job_id);
    const ofJob = await client.request('GET', `/api/v1/jobs/${job_id}/events`);
    const response = await get(`/${job_id}/events`);
    expect(response.text).not.toContain('canary-1');
    const history = renderHistoryResponse.parse(response.body);
    expect(history.id).toBe(id);
    expect((ofJob.body['events'] as unknown[])[0]).toEqual(history.events[0]);
    expect(history.events[0]).toMatchObject({ type: 'RenderRequested', actor: { kind: 'key', id: key.id } });
    expect(history.events[0]!.data).toMatchObject({
      account_id: account,
      key_id: key.id,
      key_type: 'live',
      source: { mode: 'RENDER', template_id: template, template_version: 1 },
      options: { scale: 0.5 },
      response_mode: { kind: 'webhook', url_is_masked: false, headers: { 'X-MyToken': '***' } },
    });
    const done = history.events.find(({ type }) => type === 'RenderCompleted')!;
    expect(done.data).toMatchObject({ kept_until: expect.any(String), durations: { total_ms: expect.any(Number) } });
    const names = JSON.stringify(history.events.map(({ data }) => data)).match(/"\w+":/g)!;
    expect(names.filter((name) => /[A-Z]/.test(name))).toEqual([]);
  });

  it('shows an error with the code and the fields of the API', async () => {
    const { body } = await client.convert('html', broken);
    const events = (await get(`/${String(body['render_id'])}/events`)).body['events'] as { type: string; data: Body }[];
    expect(events.at(-1)).toMatchObject({
      type: 'RenderFailed',
      data: { error: { error: 'invalid_html', message: body.message, line: 1 }, quota_refund_date: null },
    });
  });
});

describe('keep_pdf', () => {
  it('keeps the PDF of a synchronous render and of a template test, which can then be fetched', async () => {
    const templates = createTemplateClient(client);
    const template = (await templates.create('<p>{{x}}')).id;
    const hourMs = 3_600_000;
    const before = Date.now();
    const responses = [
      await client.convert('html', '<p>kept', { keep_pdf: true }),
      await templates.send('POST', `/${template}/test`, { data: { x: 1 }, keep_pdf: true }),
    ];
    for (const { body, status, text } of responses) {
      expect(status, text).toBe(200);
      const pdf = pdfBytes(String(body['pdf_base64']));
      const expiresAt = Date.parse(String(body['pdf_expires_at']));
      expect(expiresAt).toBeGreaterThanOrEqual(before + hourMs);
      expect(expiresAt).toBeLessThanOrEqual(Date.now() + hourMs);
      expect(await bytesAt(pathAndQueryOf(body['pdf_url']))).toEqual(pdf);
      const path = `/api/v1/renders/${String(body['id'])}/pdf`;
      expect(await bytesAt(path, { authorization: `Bearer ${key.key}` })).toEqual(pdf);
      expect(await record(body['id'])).toMatchObject({ pdf_expires_at: body['pdf_expires_at'] });
    }
  });

  it('is off unless requested: nothing is stored, and the error names it', async () => {
    const { id } = await client.render('html', '<p>not kept');
    const error = expectErrorResponse(await get(`/${id}/pdf`), 'pdf_not_available', { render_status: 'DONE' });
    expect(error.message).toContain('keep_pdf');
    expect(await record(id)).not.toHaveProperty('pdf_url');
  });

  it('gives the same link with a repeated Idempotency-Key', async () => {
    const body = { mode: 'CONVERT', input_type: 'html', data: '<p>kept once', keep_pdf: true };
    const post = () => client.postRender(body, { headers: { 'idempotency-key': `kept-${key.id}` } });
    const [first, second] = [await post(), await post()];
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(second.body['pdf_url']).toBeDefined();
  });
});

describe('POST /renders/{id}/repeat', () => {
  it('makes the same PDF again, except for its dates, as a new render', async () => {
    const first = await client.render('markdown', '# Again', { page_size: 'A3', header_html: '<b>{{page}}</b>' });
    const again = await repeat(first.id);
    expect(again.status, again.text).toBe(200);
    expect(withoutDates(String(again.body['pdf_base64']))).toBe(withoutDates(first.pdf_base64));
    expect(again.body['id']).not.toBe(first.id);
    expect((await page('limit=1')).renders).toMatchObject([{ id: again.body['id'], repeated_from: first.id }]);
    const events = (await get(`/${String(again.body['id'])}/events`)).body['events'] as { data: Body }[];
    expect(events[0]!.data).toMatchObject({ repeated_from: first.id });
  });

  it('repeats a failed render, which fails again', async () => {
    const { body } = await client.convert('html', broken);
    const again = await repeat(body['render_id'], {});
    expectErrorResponse(again, 'invalid_html');
    expect(await record(again.body['render_id'])).toMatchObject({ repeated_from: body['render_id'], status: 'FAILED' });
  });

  it('sends the PDF itself, or makes a job, as the request says', async () => {
    const { id } = await client.render('html', '<p>repeated');
    const pdf = await client.request('POST', `/api/v1/renders/${id}/repeat`, {
      headers: { accept: 'application/pdf' },
    });
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const queued = await repeat(id, { webhook_url: 'https://example.com/hook' });
    expect(queued.body).toMatchObject({ status: 'QUEUED', webhook_url: 'https://example.com/hook' });
    const job = await jobs.waitUntilEnded(String(queued.body['job_id']));
    expect(job).toMatchObject({ status: 'DONE', pdf_url: expect.any(String) });
  });

  it('rejects fields that it does not have', async () => {
    const { id } = await client.render('html', '<p>x');
    expectErrorResponse(await repeat(id, { page_size: 'A3' }), 'invalid_request', { field: 'page_size' });
    expectErrorResponse(await repeat('render_none'), 'render_not_found');
  });
});
