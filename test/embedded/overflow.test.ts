import { beforeAll, describe, expect, it } from 'vitest';
import { jobResponse } from '#contracts/http/jobs.ts';
import { renderDoneResponse } from '#contracts/http/render.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient, type ApiClient } from '../support/client/api-client.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const text = 'several words '.repeat(60);
const lost = `<p>1<p style="break-before:page">2<p class="note" style="margin-left:-100px">${text}`;
const expected = {
  type: 'content_overflow',
  message: 'The content of p.note exceeds the printable area by 24.3 mm on the left of page 2.',
  element: 'p.note',
  page: 2,
  side: 'left',
  overflow_mm: 24.3,
};

describe('Content outside the printable area', () => {
  it('is reported in the response of a synchronous render', async () => {
    const rendered = await caller.render('html', lost);
    expect(renderDoneResponse.strict().parse(rendered).warnings).toEqual([expected]);
  });

  it('is reported in the job of an asynchronous render', async () => {
    const jobs = createJobClient(caller);
    const { job_id } = await jobs.submitAsync({}, { mode: 'CONVERT', input_type: 'html', data: lost });
    const job = jobResponse.strict().parse(await jobs.waitUntilEnded(job_id));
    expect(job).toMatchObject({ status: 'DONE', warnings: [expected] });
  });

  it('is reported for a template, with the data that is too wide', async () => {
    const content = '<p>Name</p><p id="name" style="white-space:nowrap">{{name}}</p>';
    const template = { name: 'Overflowing', content };
    const created = await caller.request('POST', '/api/v1/templates', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(template),
    });
    const renderWith = async (name: string) =>
      (await caller.postRender({ mode: 'RENDER', template_id: created.body['id'], data: { name } })).body['warnings'];
    expect(await renderWith(text)).toMatchObject([
      { type: 'content_shrunk', factor: expect.closeTo(0.667, 2), element: 'p#name' },
      { type: 'content_overflow', element: 'p#name', page: 1, side: 'right' },
    ]);
    expect(await renderWith('Ada')).toBeUndefined();
  });

  it('is reported for Markdown with HTML in it, and not for Markdown, CSV and JSON that fit', async () => {
    expect((await caller.render('markdown', `# Title\n\n${lost}`)).warnings).toMatchObject([
      { element: 'main > p.note', page: 2 },
    ]);
    for (const [inputType, data] of [
      ['markdown', '$x$'],
      ['markdown', 'Text $a+b=c$ here.'],
      ['markdown', `Text $${'a_1+'.repeat(60)}b$ here.`],
      ['markdown', '$$\\sum_{i=1}^n x$$'],
      ['markdown', `# Title\n\n${text}\n\n- a\n  1. b\n\n${'|a'.repeat(9)}|\n${'|-'.repeat(9)}|\n`],
      ['csv', `${'column;'.repeat(40)}\n${`${'x'.repeat(50)};`.repeat(40)}\n`],
      ['json', { a: [{ b: 'x'.repeat(500) }] }],
    ] as const)
      expect((await caller.render(inputType, data)).warnings).toBeUndefined();
  });
});
