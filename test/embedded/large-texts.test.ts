import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { type JobClient, createJobClient } from '../support/client/job-client.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
let jobs: JobClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
  jobs = createJobClient(caller);
});

const long = 'x'.repeat(70_000);
const wide = '字'.repeat(40_000);

const styleSheetLink = (path: string): string => `<link rel="stylesheet" href="https://127.0.0.1/${path}">`;

/** Errors and warnings can quote the document. */
const documents: [what: string, inputType: string, data: string][] = [
  ['the name of an event handler', 'html', `<p on${long}="x()">text`],
  ['the name of an attribute with a script address', 'html', `<p ${wide}="javascript:x()">text`],
  ['the name of an event handler in Markdown', 'markdown', `text <b on${long}="x()">b</b>`],
  ['the address of an image', 'html', `<img src="https://127.0.0.1/${long}">`],
  ['the scheme of an image', 'html', `<img src="x${long}:y">`],
  [
    'the addresses of many style sheets',
    'html',
    `<p>text${Array.from({ length: 200 }, (_, n) => styleSheetLink(`${n}${wide.slice(0, 1000)}`)).join('')}`,
  ],
  ['the tag of an XML element', 'xml', `<a><${long}></b></a>`],
  ['the name of an XML entity', 'xml', `<a>&${long};</a>`],
  ['a cell of CSV', 'csv', `a,b\n"${long}\n`],
  ['a key of JSON', 'json', `{"${long}": }`],
];

describe('A document with a very long text gives a PDF or an error of the document, never an internal error:', () => {
  it.each(documents)('%s', async (_, inputType, data) => {
    const response = await caller.convert(inputType, data);
    expect([200, 422], response.text.slice(0, 500)).toContain(response.status);
    if (response.status === 422) expect(response.text.length).toBeLessThan(64 * 1024);
    const job = await jobs.waitUntilEnded(
      (await jobs.submitAsync({}, { mode: 'CONVERT', input_type: inputType, data })).job_id,
    );
    expect([job.status, job.error]).toEqual(
      response.status === 200 ? ['DONE', undefined] : ['FAILED', response.body.error],
    );
    expect((await jobs.events(job.job_id)).filter(({ type }) => type === 'RenderStarted')).toHaveLength(1);
  });
});
