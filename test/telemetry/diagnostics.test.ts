import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Diagnostics } from '#contracts/http/diagnostics.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { type Body, type ApiClient, createClient } from '../support/client/api-client.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const ownFont = readFileSync(
  new URL('../../node_modules/pdfjs-dist/standard_fonts/LiberationSans-Regular.ttf', import.meta.url),
).toString('base64');

const talkative = `<style>@font-face { font-family: Brought; src: url(data:font/ttf;base64,${ownFont}) }
h1 { font-family: Brought } p { font-family: "Nowhere Sans", serif }</style>
<h1>Own</h1><p>Foreign</p>
<script>console.log('made', 3, { of: 'pages' }); console.warn('beware');
for (let i = 0; i < 150; i++) console.debug('again'); setTimeout(() => undefined.x);</script>`;

const at = sharedService();
let live: ApiClient;
let test: ApiClient;
beforeAll(async () => {
  const account = await openAccount(at.installation, '--requests-per-minute', '100000');
  [live, test] = (
    await Promise.all([issueKey(at.installation, account), issueKey(at.installation, account, '--type', 'test')])
  ).map(({ key }) => createClient(at.service.url, key)) as [ApiClient, ApiClient];
});

const diagnosticsIn = (body: Body): Diagnostics => body['diagnostics'] as Diagnostics;
const askJob = async (jobId: string): Promise<Body> =>
  (await live.request('GET', `/api/v1/jobs/${jobId}?diagnostics=true`)).body;
const diagnosed = (path: string, body: unknown, client: ApiClient) =>
  createJobClient(client).postJson(`${path}?diagnostics=true`, body);

describe('The diagnostics of a render', () => {
  it('have script messages, used and missing fonts, the time of each phase, and the reason for the render mode', async () => {
    const jobs = createJobClient(live);
    const { job_id } = await jobs.submitAsync({}, { mode: 'CONVERT', input_type: 'html', data: talkative });
    await jobs.waitUntilEnded(job_id);
    const found = diagnosticsIn(await askJob(job_id));
    expect(found).toMatchObject({ render_mode: 'animated', failed_resources: [], same_bytes: true, error: null });
    expect(found.render_mode_reason).toMatch(/script/);
    expect(found.console!.slice(0, 3)).toEqual([
      { level: 'info', text: 'made 3 Object' },
      { level: 'warning', text: 'beware' },
      { level: 'debug', text: 'again' },
    ]);
    expect(found.console).toHaveLength(100);
    expect(found.omitted_messages).toBeGreaterThanOrEqual(52);
    expect(found.fonts!.used).toContainEqual({ family: 'Liberation Sans', embedded: true, glyphs: 3 });
    expect(found.fonts!.missing).toEqual([
      { family: 'Nowhere Sans', substitutes: [expect.any(String)], metric_compatible: false },
    ]);
    const { queue, prepare, wait, load, print, finish, total } = found.timings_ms!;
    expect(Math.min(queue, prepare, wait, load, print, finish)).toBeGreaterThanOrEqual(0);
    expect(total).toBeGreaterThan(0);
  });

  it('of a composed document have the messages and the fonts of all parts', async () => {
    const jobs = createJobClient(live);
    const partOf = (family: string, text: string) => ({
      mode: 'CONVERT',
      input_type: 'html',
      data: `<h1 style="font-family: ${family}, 'Liberation Serif'">${text}</h1><script>console.log('${text}')</script>`,
    });
    const parts = [partOf('Nowhere', 'one'), partOf('Elsewhere', 'three'), partOf('Nowhere', 'two')];
    const { job_id } = await jobs.submitAsync({}, { mode: 'COMPOSE', parts, contents: true });
    await jobs.waitUntilEnded(job_id);
    const found = diagnosticsIn(await askJob(job_id));
    expect(found.console!.map(({ text }) => text).toSorted()).toEqual(['one', 'three', 'two']);
    expect(found.fonts!.used).toContainEqual({ family: 'Liberation Serif', embedded: false, glyphs: 11 });
    expect(found.fonts!.missing.map(({ family }) => family).toSorted()).toEqual(['Elsewhere', 'Nowhere']);
  });

  it('are collected once for all requests, and are part of the history', async () => {
    const jobs = createJobClient(live);
    const { job_id } = await jobs.submitAsync();
    await jobs.waitUntilEnded(job_id);
    const answers = await Promise.all([askJob(job_id), askJob(job_id), askJob(job_id)]);
    expect(new Set(answers.map((answer) => JSON.stringify(diagnosticsIn(answer)))).size).toBe(1);
    expect(diagnosticsIn(answers[0])).toMatchObject({
      render_mode: 'static',
      console: [],
      same_bytes: true,
      fonts: { missing: [] },
    });
    expect((await jobs.events(job_id)).filter(({ type }) => type === 'RenderDiagnosed')).toHaveLength(1);
    expect(await jobs.get(job_id)).not.toHaveProperty('diagnostics');
  });

  it('of a failed render have its messages until then', async () => {
    const jobs = createJobClient(live);
    const { job_id } = await jobs.submitAsync(
      {},
      {
        mode: 'CONVERT',
        input_type: 'html',
        data: `<script>console.error('before the end'); location.href = 'https://example.com/'</script>`,
      },
    );
    await jobs.waitUntilEnded(job_id);
    const found = diagnosticsIn(await askJob(job_id));
    expect(found).toMatchObject({
      render_mode: 'animated',
      timings_ms: null,
      failed_resources: null,
      error: 'conversion_failed',
      same_bytes: null,
      fonts: null,
    });
    expect(found.console).toContainEqual({ level: 'error', text: 'before the end' });
  });

  it('are in the response to a template test and to a render with a test key', async () => {
    const { body: template } = await createJobClient(live).postJson('/api/v1/templates', {
      name: 'diagnosed',
      content: '<p style="font-family: Unheard">{{name}}</p>',
    });
    const templateTest = await diagnosed(
      `/api/v1/templates/${String(template['id'])}/test`,
      { data: { name: 'Ines' } },
      live,
    );
    expect(templateTest.status, templateTest.text.slice(0, 300)).toBe(200);
    expect(templateTest.body).toMatchObject({
      status: 'DONE',
      version: 1,
      diagnostics: { render_mode: 'static', same_bytes: true, fonts: { missing: [{ family: 'Unheard' }] } },
    });
    const refused = await diagnosed(`/api/v1/templates/${String(template['id'])}/test`, { data: {} }, live);
    expect(refused.body).toMatchObject({
      error: 'template_render_error',
      diagnostics: { error: 'template_render_error', console: [], failed_resources: null },
    });
    const tested = await diagnosed(
      '/api/v1/render',
      { mode: 'CONVERT', input_type: 'markdown', data: '# Tested' },
      test,
    );
    expect(tested.body).toMatchObject({ status: 'DONE', diagnostics: { render_mode: 'static', same_bytes: true } });
  });

  it('of a live render are only in its job, and the parameter must be true or false', async () => {
    expectErrorResponse(
      await diagnosed('/api/v1/render', { mode: 'CONVERT', input_type: 'html', data: '<p>x' }, live),
      'invalid_request',
      { field: 'diagnostics' },
    );
    expectErrorResponse(
      await live.request('GET', '/api/v1/jobs/job_01JR04W1PD2M5S8V3Q6X9Z7TKF?diagnostics=yes'),
      'invalid_request',
      { field: 'diagnostics' },
    );
    const { id } = await live.render('html', '<p>waited for</p>');
    expect(diagnosticsIn(await askJob(id.replace('render_', 'job_')))).toMatchObject({ same_bytes: true });
  });
});
