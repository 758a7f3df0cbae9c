import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type Body, createClient, type ApiClient } from '../support/client/api-client.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const row = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);
const csv = (count: number) => `${row('Column', count).join(';')}\n${row('Some value', count).join(';')}\n`;
const markdown = (count: number) =>
  `|${row('Column', count).join('|')}|\n|${'-|'.repeat(count)}\n|${row('Some value', count).join('|')}|\n`;
const json = (count: number) => [Object.fromEntries(row('Column', count).map((name) => [name, `Some value ${name}`]))];

const paper = {
  'A3 landscape': { page_size: 'A3', orientation: 'landscape' },
  'A4 landscape': { orientation: 'landscape' },
  A4: {},
  'A4 at half scale': { scale: 0.5 },
  'A4 with wide margins': { margin_left: 60, margin_right: 60 },
  A6: { page_size: 'A6' },
};

describe('A wide table', () => {
  it.each([
    ['csv', csv(16)],
    ['markdown', markdown(16)],
    ['json', json(16)],
  ])('in %s is split into as many parts as the paper needs, all within the page', async (inputType, data) => {
    const parts: Record<string, number> = {};
    for (const [name, options] of Object.entries(paper)) {
      const { pdf_base64, warnings } = await caller.render(inputType, data, options);
      expect([name, warnings]).toEqual([name, undefined]);
      const text = (await readPdf(pdf_base64)).map((page) => page.text).join(' ');
      for (const column of ['Column 2', 'Column 16', 'Some value']) expect(text).toContain(column.split(' ')[0]);
      parts[name] = Math.max(1, text.match(/of 16\b/g)?.length ?? 0);
    }
    const { A4, A6, 'A4 landscape': landscape, 'A3 landscape': a3, 'A4 with wide margins': narrow } = parts;
    expect(a3).toBe(1);
    expect(parts['A4 at half scale']).toBe(1);
    expect(landscape).toBeLessThanOrEqual(A4!);
    expect(A4).toBeGreaterThan(1);
    expect(narrow).toBeGreaterThan(A4!);
    expect(A6).toBeGreaterThan(A4!);
  });

  it.each<[string, unknown]>([
    ['csv', csv(16)],
    ['markdown', `---\nlang: de\n---\n${markdown(16)}`],
    ['json', json(16)],
    ['json', { title: 'x', inner: { list: [[1], { rows: [...json(16), ...json(16)] }] } }],
    [
      'xml',
      `<list>${`<row>${row('c', 16)
        .map((name, at) => `<c${at}>Some value ${name}</c${at}>`)
        .join('')}</row>`.repeat(2)}</list>`,
    ],
  ])('in %s names the columns of its parts in the language of the document', async (inputType, data) => {
    const textOf = async (options: Body) =>
      (await caller.renderedPages(inputType, data, options)).map(({ text }) => text).join(' ');
    const german = await textOf({ locale: 'de-AT' });
    expect(german).toMatch(/Spalten 1–\d+ von 16/);
    expect(german).not.toContain('Columns');
    if (inputType !== 'markdown') expect(await textOf({ locale: 'eo' })).toMatch(/Columns 1–\d+ of 16/);
  });
});
