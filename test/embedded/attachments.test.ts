import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient, type RenderResult } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { file, postForm } from '../support/client/multipart.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { readAttachments } from '../support/documents/read-attachments.ts';
import { sampleInvoice } from '../support/documents/sample-invoices.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const html = '<!doctype html><html lang="en"><title>Report</title><h1>Report</h1>';
const base64 = (text: string | Uint8Array): string => Buffer.from(text as string).toString('base64');
const data = base64('a,b\n1,2\n');
const pdfOf = ({ pdf_base64 }: RenderResult): Buffer => Buffer.from(pdf_base64, 'base64');
const attached = async (options: Body) => readAttachments(pdfOf(await caller.render('html', html, options)));

const files = [
  {
    name: 'Messwerte – März.csv',
    mime_type: 'text/csv',
    data,
    relationship: 'Data',
    description: 'What the chart shows',
    modified_at: '2026-05-31T09:30:00+02:00',
  },
  { name: 'all bytes (1).bin', data: base64(Uint8Array.from({ length: 256 }, (_, byte) => byte)) },
];

describe('Attachments', () => {
  it.each([{}, { conformance: 'pdf/a-3b' }, { tagged: true, metadata: { title: 'T' } }])(
    'are in the PDF with all that the request says about them (%j)',
    async (options) => {
      expect(await attached({ attachments: files, ...options })).toEqual([
        {
          name: 'Messwerte – März.csv',
          asciiName: 'Messwerte _ M_rz.csv',
          mimeType: 'text/csv',
          relationship: 'Data',
          description: 'What the chart shows',
          modified: 'D:20260531073000Z',
          md5: hash('md5', 'a,b\n1,2\n'),
          content: Buffer.from('a,b\n1,2\n'),
        },
        expect.objectContaining({
          name: 'all bytes (1).bin',
          mimeType: 'application/octet-stream',
          relationship: 'Unspecified',
          content: Buffer.from(files[1]!.data, 'base64'),
        }),
      ]);
    },
  );

  it('may be empty files, in JSON and in a form, also when repeated', async () => {
    const empty = [
      { name: 'a.txt', data: '' },
      { name: 'b.txt', data: '' },
    ];
    const sent = await caller.render('html', html, { attachments: empty, conformance: 'pdf/a-3b' });
    const { body: posted, text } = await postForm(caller, [
      ['file', file('a.html', html)],
      ['attachments', file('a.txt', '', 'text/plain')],
      ['attachments', file('b.txt', '', 'text/plain')],
    ]);
    const repeated = await caller.request('POST', `/api/v1/renders/${sent.id}/repeat`);
    for (const rendered of [sent, posted, repeated.body] as RenderResult[]) {
      expect(rendered.pdf_base64, text.slice(0, 300)).toEqual(expect.any(String));
      expect((await readAttachments(pdfOf(rendered))).map(({ name, content }) => [name, content.byteLength])).toEqual([
        ['a.txt', 0],
        ['b.txt', 0],
      ]);
    }
  });

  it('are those of the template, unless the request names others', async () => {
    const templates = createTemplateClient(caller);
    const { id } = await templates.create('<p>{{x}}', { default_options: { attachments: files } });
    const of = async (options: Body) =>
      (await readAttachments(pdfOf((await templates.render(id, { x: 1 }, options)).body as RenderResult))).map(
        ({ name }) => name,
      );
    expect(await of({})).toEqual(files.map(({ name }) => name));
    expect(await of({ attachments: [{ name: 'own.txt', data }] })).toEqual(['own.txt']);
    const tested = await templates.send('POST', `/${id}/test`, { data: { x: 1 } });
    expect(await readAttachments(pdfOf(tested.body as RenderResult))).toHaveLength(2);
  });

  it('are parts of a form, which options can describe', async () => {
    const { body, text, status } = await postForm(caller, [
      ['file', file('a.html', html)],
      ['attachments', file('values.csv', 'a,b', 'text/csv')],
      ['attachments[]', file('note.txt', 'Text', 'text/plain')],
      ['options', JSON.stringify({ attachments: [{ name: 'values.csv', relationship: 'Source' }, files[1]] })],
    ]);
    expect(status, text.slice(0, 300)).toBe(200);
    const found = await readAttachments(pdfOf(body as RenderResult));
    expect(found.map(({ name, mimeType, relationship }) => [name, mimeType, relationship])).toEqual([
      ['all bytes (1).bin', 'application/octet-stream', 'Unspecified'],
      ['note.txt', 'text/plain', 'Unspecified'],
      ['values.csv', 'text/csv', 'Source'],
    ]);
    expect(found[2]!.content.toString()).toBe('a,b');
  });

  it('are in a composed document as a whole, as an electronic invoice is', async () => {
    const parts = [1, 2].map((part) => ({ mode: 'CONVERT', input_type: 'markdown', data: `# Part ${part}` }));
    const facturX = { profile: 'en16931', xml: sampleInvoice('en16931') };
    const { body, text, status } = await caller.postRender({
      mode: 'COMPOSE',
      parts,
      metadata: { title: 'Whole' },
      attachments: files,
      factur_x: facturX,
    });
    expect(status, text.slice(0, 300)).toBe(200);
    const pdf = pdfOf(body as unknown as RenderResult);
    expect((await readAttachments(pdf)).map(({ name }) => name)).toEqual([
      'Messwerte – März.csv',
      'all bytes (1).bin',
      'factur-x.xml',
    ]);
    expect(pdf.toString('latin1')).toContain('<fx:ConformanceLevel>EN 16931<');
  });

  it('may be larger than all other fields of a body, and give the same bytes when repeated and verified', async () => {
    const large = Buffer.alloc(3_000_000, 'Colophon ').toString('base64');
    const { id, ...rendered } = await caller.render('html', html, {
      attachments: [{ name: 'large.txt', data: large }],
    });
    expect((await readAttachments(pdfOf({ id, ...rendered })))[0]!.content).toHaveLength(3_000_000);
    const verified = await caller.request('POST', `/api/v1/renders/${id}/verify`);
    expect(verified.body, verified.text.slice(0, 300)).toMatchObject({ matches: true });
    const repeated = await caller.request('POST', `/api/v1/renders/${id}/repeat`);
    expect(await readAttachments(pdfOf(repeated.body as RenderResult))).toHaveLength(1);
    const detail = await caller.request('GET', `/api/v1/renders/${id}`);
    expect(detail.text.length).toBeLessThan(20_000);
  });

  const named = (name: string): Body => ({ attachments: [{ name, data }] });
  it.each<[string, Body, RegExp]>([
    ['a folder in the name', named('../a.txt'), /attachments\[0\]\.name.*without a folder/],
    ['a Windows folder in the name', named('a\\b.txt'), /without a folder/],
    ['a name of dots', named('..'), /without a folder/],
    ['an empty name', named(''), /attachments\[0\]\.name/],
    ['a control character in the name', named('a\u0000b'), /control characters/],
    ['a line separator in the name', named('a\u2028b'), /control characters/],
    ['half a character in the name', named('a\ud800'), /well-formed|Unicode|UTF/],
    ['a long name', named('a'.repeat(201)), /attachments\[0\]\.name/],
    [
      'a name twice',
      { attachments: [files[1], { ...files[1], name: 'ALL bytes (1).BIN' }] },
      /attachments\[1\]\.name.*differ/,
    ],
    ['a name of spaces', named(' \u00a0 '), /attachments\[0\]\.name must not be only spaces/],
    ['no data', { attachments: [{ name: 'a' }] }, /attachments\[0\]\.data/],
    ['text in place of base64', { attachments: [{ name: 'a', data: 'a,b' }] }, /attachments\[0\]\.data.*base64/],
    ['a data URL', { attachments: [{ name: 'a', data: `data:text/csv;base64,${data}` }] }, /base64/],
    ['a media type of no kind', { attachments: [{ name: 'a', data, mime_type: 'csv' }] }, /mime_type.*text\/csv/],
    ['another relationship', { attachments: [{ name: 'a', data, relationship: 'source' }] }, /relationship.*Source/],
    ['the future', { attachments: [{ name: 'a', data, modified_at: '2999-01-01T00:00:00Z' }] }, /future/],
    ['no date', { attachments: [{ name: 'a', data, modified_at: 'yesterday' }] }, /modified_at/],
    ['a wrong field', { attachments: [{ name: 'a', data, mimetype: 'text/csv' }] }, /mime_type/],
    ['PDF/A-2', { attachments: files, conformance: 'pdf/a-2b' }, /pdf\/a-2b allows no attachments.*pdf\/a-3b/],
  ])('with %s are refused', async (_, options, message) => {
    expect(expectErrorResponse(await caller.convert('html', html, options), 'invalid_request').message).toMatch(
      message,
    );
  });

  it('are refused if they are more or larger than the plan allows', async () => {
    const account = await openAccount(at.installation, '--plan', 'free');
    const free = createClient(at.service.url, (await issueKey(at.installation, account)).key);
    const many = Array.from({ length: 6 }, (_, index) => ({ name: `${index}.txt`, data }));
    const large = { name: 'large', data: Buffer.alloc(2 * 1024 * 1024 + 1).toString('base64') };
    for (const [attachments, message] of [
      [many, /attachments has 6 files; the account's plan allows 5/],
      [[large], /the account's plan allows 2 MB/],
    ] as const) {
      const composed = { mode: 'COMPOSE', parts: [{ mode: 'CONVERT', input_type: 'html', data: html }], attachments };
      for (const response of [await free.convert('html', html, { attachments }), await free.postRender(composed)])
        expect(expectErrorResponse(response, 'invalid_request', { field: 'attachments' }).message).toMatch(message);
    }
  });
});
