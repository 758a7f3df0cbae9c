import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient, type RenderResult } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { file, type FormEntry, postForm, svgOf } from '../support/client/multipart.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { readAttachments } from '../support/documents/read-attachments.ts';
import { pdfBytes, readPdf } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
let existing: Buffer;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
  existing = pdfBytes((await caller.render('html', '<h1>Old</h1><p style="break-before: page">second')).pdf_base64);
});

const agreement = await readFile(new URL('../fixtures/documents/agreement.docx', import.meta.url));
const composed = async (...entries: FormEntry[]): Promise<RenderResult> => {
  const { status, text, body } = await postForm(caller, entries);
  expect(status, text.slice(0, 500)).toBe(200);
  return body as RenderResult;
};
const textsOf = async ({ pdf_base64 }: RenderResult): Promise<string[]> =>
  (await readPdf(pdf_base64)).map(({ text }) => text.replaceAll(/\s+/g, ' ').trim());
const parts = (...all: Body[]): FormEntry => ['parts', JSON.stringify(all)];

describe('A composed document of the files of a form', () => {
  it('has the parts that name them, each with its options and of the type of its file', async () => {
    const { id } = await createTemplateClient(caller).create('<h1>Hello {{name}}</h1>');
    const result = await composed(
      ['mode', 'COMPOSE'],
      parts(
        { file: 'cover.md', cover: true },
        { mode: 'PDF', file: 'terms.pdf', page_ranges: '2' },
        { file: 'data.json', template_id: id },
        { mode: 'CONVERT', input_type: 'html', data: '<p>in the request<img src="logo.svg">' },
        { file: 'agreement.docx', docx_layout: 'semantic' },
        { file: 'terms.pdf', page_ranges: '1' },
      ),
      ['contents', '{"title": "Inside"}'],
      ['files', file('terms.pdf', existing, 'application/pdf')],
      ['files', file('data.json', '\ufeff{"name": "Ines"}')],
      ['files[]', file('cover.md', '# Cover')],
      ['files', file('agreement.docx', agreement)],
      ['assets', file('logo.svg', svgOf('red'))],
      ['attachments', file('values.csv', 'a,b', 'text/csv')],
      ['options', JSON.stringify({ page_size: 'A5', attachments: [{ name: 'values.csv', relationship: 'Data' }] })],
    );
    const texts = await textsOf(result);
    expect(texts[0]).toBe('Cover');
    expect(texts[1]).toMatch(/^Inside/);
    expect(texts.slice(2, 5)).toEqual(['second', 'Hello Ines', 'in the request']);
    expect(texts[5]).toMatch(/agreement/i);
    expect(texts.at(-1)).toBe('Old');
    const attached = await readAttachments(pdfBytes(result.pdf_base64));
    expect(attached.map(({ name, relationship }) => [name, relationship])).toEqual([['values.csv', 'Data']]);
    const { body: input } = await caller.request('GET', `/api/v1/renders/${result.id}/input`);
    const recorded = input['parts'] as Body[];
    expect(recorded[1]).toMatchObject({ mode: 'PDF', data: existing.toString('base64') });
    expect(recorded[4]).toMatchObject({ input_type: 'docx', data: agreement.toString('base64') });
    const verified = await caller.request('POST', `/api/v1/renders/${result.id}/verify`);
    expect(verified.body, verified.text.slice(0, 300)).toMatchObject({ matches: true });
  });

  it('lists a part by its title, else by its first heading, else by the name of its file', async () => {
    const titled = pdfBytes((await caller.render('html', '<title>General terms</title><p>old')).pdf_base64);
    const untitled = pdfBytes((await caller.render('html', '<p>old')).pdf_base64);
    const result = await composed(
      ['contents', 'true'],
      ['files', file('a.pdf', titled, 'application/pdf')],
      ['files', file('price list.v2.pdf', untitled, 'application/pdf')],
      ['files', file('cover.md', '# Annual file')],
      ['files', file('notes.html', '<p>new')],
    );
    const [contents] = await textsOf(result);
    expect(contents).toMatch(/^Contents General terms 2 price list\.v2 3 Annual file 4 notes 5$/);
    const verified = await caller.request('POST', `/api/v1/renders/${result.id}/verify`);
    expect(verified.body, verified.text.slice(0, 300)).toMatchObject({ matches: true });
  });

  it('has the files in their order without parts, and parts can be in options', async () => {
    const files: FormEntry[] = [
      ['files', file('b.html', '<h1>Second')],
      ['files', file('a.md', '# First')],
    ];
    expect(await textsOf(await composed(...files))).toEqual(['Second', 'First']);
    const named = JSON.stringify({ parts: [{ file: 'a.md' }, { file: 'b.html' }], start_on: 'right' });
    expect(await textsOf(await composed(...files, ['options', named]))).toEqual(['First', '', 'Second']);
  });

  it('finds a name that macOS has written in another Unicode form', async () => {
    const name = 'Änderung.md';
    const result = await composed(parts({ file: name.normalize('NFC') }), [
      'files',
      file(name.normalize('NFD'), '# Changed'),
    ]);
    expect(await textsOf(result)).toEqual(['Changed']);
  });

  it('may be larger than what is read at once', async () => {
    const long = `# Long\n\n${'word '.repeat(40_000)}`;
    const result = await composed(
      parts({ file: 'long.md', page_ranges: '1' }, { mode: 'PDF', file: 'a.pdf' }),
      ['files', file('long.md', long)],
      ['files', file('a.pdf', existing)],
    );
    expect((await textsOf(result)).slice(1)).toEqual(['Old', 'second']);
  });

  it('is what the error about a PDF to convert speaks of', async () => {
    const { status, text, body } = await postForm(caller, [['file', file('terms.pdf', existing, 'application/pdf')]]);
    expect(status, text).toBe(400);
    expect(body).toMatchObject({
      error: 'invalid_input_type',
      message: expect.stringMatching(/under files/) as unknown,
    });
  });

  const a = file('a.md', '# A');
  it.each<[string, FormEntry[], Body]>([
    [
      'names a file that is not there',
      [parts({ file: 'b.md' }, { file: 'a.md' }), ['files', a]],
      { field: 'parts[0].file' },
    ],
    [
      'does not name a file',
      [parts({ mode: 'CONVERT', input_type: 'html', data: 'x' }), ['files', a]],
      { field: 'files' },
    ],
    ['has two files of one name', [parts({ file: 'a.md' }), ['files', a], ['files', a]], { field: 'files' }],
    ['names no text', [parts({ file: 7 })], { field: 'parts[0].file' }],
    ['has data beside the file', [parts({ file: 'a.md', data: 'x' }), ['files', a]], { field: 'parts[0].data' }],
    [
      'has a file of unknown type',
      [['files', file('a.pages', 'x')]],
      { error: 'invalid_input_type', field: 'parts[0].input_type' },
    ],
    ['has an empty file', [['files', file('a.md', '')]], { error: 'missing_data', field: 'parts[0].file' }],
    [
      'has a template with other data',
      [parts({ file: 'a.md', template_id: 'tpl_1' }), ['files', a]],
      { field: 'parts[0].file' },
    ],
    [
      'has parts that are no JSON',
      [
        ['parts', '[{"file": "a.md"]'],
        ['files', a],
      ],
      { field: 'parts[0]' },
    ],
    [
      'has fields beside the list of parts',
      [
        ['parts', '[], "tagged": true'],
        ['files', a],
      ],
      { field: 'parts' },
    ],
    [
      'has parts that are no list',
      [
        ['parts', '{"file": "a.md"}'],
        ['files', a],
      ],
      { field: 'parts' },
    ],
    ['has the part file', [['mode', 'COMPOSE'], ['file', a], parts({ file: 'a.md' })], { field: 'file' }],
    [
      'has another mode',
      [
        ['template_id', 'tpl_1'],
        ['files', a],
      ],
      { field: 'files' },
    ],
    [
      'describes an attachment that is not there',
      [
        ['file', a],
        ['options', '{"attachments": [{"name": "v.csv"}]}'],
      ],
      { field: 'attachments[0].data' },
    ],
  ])('is refused if it %s', async (_, entries, { error = 'invalid_request', ...fields }) => {
    expectErrorResponse(await postForm(caller, entries), error as 'invalid_request', fields);
  });

  it('gets the errors of all files at once', async () => {
    const { body } = await postForm(caller, [
      parts({ file: 'x.md' }, { file: 'y.md' }),
      ['files', file('z.md', '# Z')],
      ['files', file('z.md', '# Z')],
    ]);
    const messages = (body['errors'] as Body[]).map(({ message }) => message);
    expect(messages).toEqual([
      'The form has two files "z.md" under files. Rename one of them.',
      'parts[0]: the form has no file "x.md" under files. It has: z.md.',
      'parts[1]: the form has no file "y.md" under files. It has: z.md.',
      'No part names the file "z.md". Name it as the file of a part, or leave it out.',
    ]);
  });
});
