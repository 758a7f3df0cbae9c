import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { type Body, type ApiClient, createClient, type RenderResult } from '../support/client/api-client.ts';
import { readRenderEvents } from '../support/service/render-events.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { reachableHost } from '../support/environment.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { type TemplateClient, createTemplateClient } from '../support/client/template-client.ts';

const at = sharedService();
let caller: ApiClient;
let templateClient: TemplateClient;
let scriptTracker: ScriptTracker;
beforeAll(async () => {
  scriptTracker = await openScriptTracker(reachableHost);
  const account = await openAccount(
    at.installation,
    '--requests-per-minute',
    '100000',
    '--requests-per-month',
    '100000',
  );
  caller = createClient(at.service.url, (await issueKey(at.installation, account)).key);
  templateClient = createTemplateClient(caller);
});
afterAll(() => scriptTracker.close());

const used = async (): Promise<number> =>
  ((await caller.request('GET', '/api/v1/usage')).body as { quota: { used: number } }).quota.used;
const sheetOf = async (response: Body): Promise<[number, number]> => {
  const [page] = await readPdf(String(response.pdf_base64));
  return [Math.round(page!.width), Math.round(page!.height)];
};

it('A preview is refused with the error of its data', async () => {
  const response = await templateClient.send('POST', '/preview', { content: '{{name}}', data: {} });
  expectErrorResponse(response, 'template_render_error', { missing_variable: 'name' });
});

describe('A render from a template', () => {
  it('expands blocks and placeholders, and escapes values', async () => {
    const { id } = await templateClient.create(
      '<p>{{title}}{{#if note}}: {{note}}{{else}}, no note{{/if}}</p>{{#each items}}<p>{{@index}} {{this.name}} {{../title}}</p>{{/each}}',
    );
    const text = await templateClient.renderText(id, { title: 'A <b> & c', items: [{ name: 'one' }, { name: 'two' }] });
    expect(text.split('\n').map((line) => line.trim())).toEqual([
      'A <b> & c, no note',
      '0 one A <b> & c',
      '1 two A <b> & c',
    ]);
  });

  it('has helpers that use the locale and time zone of the template', async () => {
    const content =
      '<p>{{formatDate due "DD MMMM YYYY HH:mm"}}</p><p>{{formatCurrency total "EUR"}}</p>' +
      '<p>{{uppercase word}} {{lowercase word}} {{truncate word 3}} {{json list}}</p>';
    const data = { due: '2026-03-01T23:30:00Z', total: 1234.5, word: 'Paper', list: [1] };
    const plain = await templateClient.renderText((await templateClient.create(content)).id, data);
    expect(plain).toContain('01 March 2026 23:30');
    expect(plain).toContain('\u20ac1,234.50');
    expect(plain).toMatch(/PAPER paper Pap\S* \[1\]/);
    const austrian = await templateClient.renderText(
      (await templateClient.create(content, { default_options: { locale: 'de-AT', time_zone: 'Europe/Vienna' } })).id,
      data,
    );
    expect(austrian).toMatch(/02 M\u00e4rz 2026 00:30/);
    expect(austrian).toMatch(/1[.\s\u00a0\u202f]234,50/);
  });

  it('uses the locale and time zone of the request rather than those of the template, and records them', async () => {
    const { id } = await templateClient.create(
      '<p>{{formatDate due "D MMMM HH:mm"}} {{formatCurrency total "EUR"}}</p>',
      { default_options: { locale: 'de-AT', time_zone: 'Europe/Vienna' } },
    );
    const data = { due: '2026-03-01T23:30:00Z', total: 1234.5 };
    const requested = { locale: 'pl-pl', time_zone: 'Asia/Tokyo' };
    const { id: render, pdf_base64: pdf } = await templateClient.expectStatus<RenderResult>(
      200,
      templateClient.render(id, data, requested),
    );
    const [page] = await readPdf(pdf);
    expect(page!.text.replaceAll(/\s/g, ' ')).toContain('2 marca 08:30 1234,50 €');
    const [event] = await readRenderEvents(at.installation, render);
    expect(event!.data.options).toMatchObject({ locale: 'pl-PL', time_zone: 'Asia/Tokyo' });
    const tested = await templateClient.send('POST', `/${id}/test`, { data, ...requested });
    expect((await readPdf(String(tested.body.pdf_base64)))[0]!.text).toBe(page!.text);
    for (const [field, value] of [
      ['locale', 'xx-klingon'],
      ['locale', 'de_AT'],
      ['time_zone', 'Mars/Olympus'],
      ['time_zone', '+01:00'],
    ] as const)
      expectErrorResponse(await templateClient.render(id, data, { [field]: value }), 'invalid_request', { field });
  });

  it('uses the options of the template unless the request has its own', async () => {
    const { id } = await templateClient.create('<p>x</p>', {
      default_options: { page_size: 'A3', orientation: 'landscape', header_html: 'from the template' },
    });
    const render = (fields: Body) =>
      templateClient.expectStatus<RenderResult>(200, templateClient.render(id, {}, fields));
    expect(await sheetOf(await render({}))).toEqual([420, 297]);
    expect(await sheetOf(await render({ orientation: 'portrait' }))).toEqual([297, 420]);
    expect(await sheetOf(await render({ page_size: 'A4', orientation: 'portrait' }))).toEqual([210, 297]);
    expect(await templateClient.renderText(id, {})).toContain('from the template');
    expect(await templateClient.renderText(id, {}, { header_html: null })).toBe('x');
    const [requested] = await readRenderEvents(at.installation, (await render({ scale: 0.5 })).id);
    expect(requested!.data.options).toEqual({ page_size: 'A3', orientation: 'landscape', scale: 0.5 });
  });

  it('with width and height ignores the page size of the template, and the other way round', async () => {
    const create = async (default_options: Body) => (await templateClient.create('<p>x</p>', { default_options })).id;
    const [named, sized] = [await create({ page_size: 'A3' }), await create({ width: '100mm', height: '5cm' })];
    const sheet = async (id: string, fields: Body) =>
      sheetOf(await templateClient.expectStatus<RenderResult>(200, templateClient.render(id, {}, fields)));
    expect(await sheet(named, { width: 120, height: 200 })).toEqual([120, 200]);
    expect(await sheet(sized, {})).toEqual([100, 50]);
    expect(await sheet(sized, { orientation: 'landscape' })).toEqual([50, 100]);
    expect(await sheet(sized, { page_size: 'a5' })).toEqual([148, 210]);
    expectErrorResponse(await templateClient.render(sized, {}, { width: 120 }), 'invalid_request', { field: 'width' });
  });

  it('uses the requested version with its options, or else the current version', async () => {
    const { id } = await templateClient.create('<p>first</p>', { default_options: { page_size: 'A3' } });
    await templateClient.update(id, { content: '<p>second</p>', default_options: {} });
    const old = await templateClient.expectStatus<RenderResult>(
      200,
      templateClient.render(id, {}, { template_version: 1 }),
    );
    expect([await sheetOf(old), (await readPdf(old.pdf_base64))[0]!.text.trim()]).toEqual([[297, 420], 'first']);
    expect(await templateClient.renderText(id, {})).toBe('second');
    const job = await caller.request('GET', `/api/v1/jobs/${old.id.replace('render_', 'job_')}`);
    expect(job.body).toMatchObject({ mode: 'RENDER', template_id: id, template_version: 1 });
  });

  it('counts as a use at once; a render of something else does not', async () => {
    const { id } = await templateClient.create('<p>{{x}}</p>');
    const first = await templateClient.expectStatus<RenderResult>(200, templateClient.render(id, { x: 1 }));
    expect(await templateClient.get(id)).toMatchObject({ usage_count: 1, last_used_at: first.created_at });
    await caller.render('html', '<p>x</p>');
    const second = await templateClient.expectStatus<RenderResult>(200, templateClient.render(id, { x: 1 }));
    expect(await templateClient.get(id)).toMatchObject({ usage_count: 2, last_used_at: second.created_at });
  });
});

describe('A template that does not exist', () => {
  it.each(['tpl_01JQZX3C5V8Y2N6T4R7W9K0MHB', 'tpl_', 'render_01JQZX3C5V8Y2N6T4R7W9K0MHB', '../../etc', '__proto__'])(
    'cannot be rendered: %s',
    async (template_id) => {
      expectErrorResponse(await templateClient.render(template_id, {}), 'render_template_not_found', {
        field: 'template_id',
        template_id,
      });
    },
  );
});

it('An error about the name of a template in place of its id has the id', async () => {
  const { id } = await templateClient.create('<p>x</p>', { name: 'Erinnerung für März' });
  const expected = expect.stringMatching(`The template of that name has the id ${id}.$`);
  for (const options of [{}, { template_version: 2 }]) {
    const response = await templateClient.render('Erinnerung für März', {}, options);
    expectErrorResponse(response, 'render_template_not_found', { message: expected, field: 'template_id' });
  }
  const read = await templateClient.send('GET', `/${encodeURIComponent('Erinnerung für März')}`);
  expectErrorResponse(read, 'template_not_found', { message: expected });
});

describe('A template test', () => {
  const test = (id: string, body: unknown) => templateClient.send('POST', `/${id}/test`, body);

  it('returns a render with the version, and counts neither toward the quota nor as a use', async () => {
    const { id } = await templateClient.create('<p>{{x}}</p>', { default_options: { page_size: 'A3' } });
    await templateClient.update(id, { content: '<p>{{x}}!</p>' });
    const before = await used();
    const { status, body, headers } = await test(id, { data: { x: 'tried' } });
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^render_/),
        status: 'DONE',
        pdf_base64: expect.any(String),
        pages: 1,
        file_size_kb: expect.any(Number),
        duration_ms: expect.any(Number),
        created_at: expect.any(String),
        version: 2,
      },
    ]);
    expect((await readPdf(String(body.pdf_base64)))[0]!.text.trim()).toBe('tried!');
    const later = await test(id, { data: { x: 'tried' }, template_version: 1, page_size: 'A4' });
    expect([later.body.version, await sheetOf(later.body)]).toEqual([1, [210, 297]]);
    expect(await used()).toBe(before);
    const found = await templateClient.get(id);
    expect([found.usage_count, found.last_used_at]).toEqual([0, undefined]);
    const minute = (response: { headers: Headers }): number => Number(response.headers.get('x-ratelimit-remaining'));
    expect(minute(later) === minute({ headers }) - 1 || minute(later) > minute({ headers })).toBe(true);
  });

  it('is rejected while two others of the account are running', async () => {
    const { id } = await templateClient.create(scriptTracker.heldImage('tested'));
    const sent = Array.from({ length: 3 }, () => test(id, { data: {} }));
    await Promise.race(sent);
    scriptTracker.release('tested');
    const responses = await Promise.all(sent);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 429]);
    expectErrorResponse(
      responses.find(({ status }) => status === 429)!,
      'concurrency_limit_exceeded',
      { limit: 2, retry_after: 1 },
    );
    expect((await test(id, { data: {} })).status).toBe(200);
  });

  it('fails with the same errors as a render', async () => {
    const { id } = await templateClient.create('<p>{{x}}</p>');
    expectErrorResponse(await test(id, { data: {} }), 'template_render_error', { missing_variable: 'x' });
    expectErrorResponse(await test(id, {}), 'invalid_request', { field: 'data' });
    expectErrorResponse(await test(id, { data: {}, page_size: 'B11' }), 'invalid_page_size');
    expectErrorResponse(await test(id, { data: {}, webhook_url: 'https://example.com' }), 'invalid_request', {
      field: 'webhook_url',
    });
    expectErrorResponse(await test(id, { data: {}, template_version: 2 }), 'render_template_not_found', {
      template_id: id,
      template_version: 2,
    });
    expectErrorResponse(await test('tpl_01JQZX3C5V8Y2N6T4R7W9K0MHB', { data: {} }), 'template_not_found');
  });
});

describe('Validation', () => {
  const validate = async (body: unknown): Promise<Body> =>
    await templateClient.expectStatus<Body>(200, templateClient.send('POST', '/validate', body));

  it('finds no error in a correct template', async () => {
    expect(await validate({ content: '<p>{{a}}</p>', variables: [{ name: 'a', type: 'string' }] })).toEqual({
      valid: true,
      errors: [],
    });
  });

  it('reports syntax errors with their line, and undeclared variables', async () => {
    expect(await validate({ content: '<p>\n{{#if paid}}\nThank you' })).toEqual({
      valid: false,
      errors: [{ type: 'syntax_error', message: expect.any(String), line: 2 }],
    });
    const { valid, errors } = await validate({ content: '{{a}}\n{{b.c}}', variables: [{ name: 'a', type: 'string' }] });
    expect([valid, errors]).toEqual([
      false,
      [{ type: 'missing_variable', message: expect.any(String), variable: 'b.c', line: 2 }],
    ]);
  });

  it('stores nothing, and rejects other fields', async () => {
    const before = (await templateClient.send('GET', '')).body.total;
    await validate({ content: 'x' });
    expect((await templateClient.send('GET', '')).body.total).toBe(before);
    expectErrorResponse(
      await templateClient.send('POST', '/validate', { content: 'x', name: 'y' }),
      'invalid_request',
      {
        field: 'name',
      },
    );
    expectErrorResponse(await templateClient.send('POST', '/validate', {}), 'invalid_request', { field: 'content' });
    expectErrorResponse(
      await templateClient.send('POST', '/validate', { content: 'x'.repeat(1024 * 1024 + 1) }),
      'template_too_large',
      { max_size_mb: 1 },
    );
  });
});
