import { beforeAll, describe, expect, it } from 'vitest';
import { wordFeatures } from '../fixtures/documents/word-features.ts';
import { type ApiClient, createClient, type RenderResult } from '../support/client/api-client.ts';
import { canCompare, convertWithCommandLine, similaritiesOf } from '../support/documents/compare-pdfs.ts';
import { isOfficeAvailable } from '../support/documents/office-available.ts';
import { pdfBytes, readPdf } from '../support/documents/read-pdf.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
const features = wordFeatures();
const results = new Map<string, RenderResult>();
let caller: ApiClient;

const sizesOf = (pages: { width: number; height: number }[]): string[] =>
  pages.map(({ width, height }) => `${Math.round(width)} x ${Math.round(height)}`);
const medianOf = (values: number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1]!;

describe.skipIf(!isOfficeAvailable)('A Word document with one feature', () => {
  beforeAll(async () => {
    caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
    for (const [name, { docx }] of Object.entries(features))
      results.set(name, await caller.render('docx', docx.toString('base64')));
  });

  it('is one of at least 40', () => expect(Object.keys(features).length).toBeGreaterThanOrEqual(40));

  it.each(Object.entries(features))('keeps %s: its texts in order, and its pages', async (name, { texts, pages }) => {
    const read = await readPdf(results.get(name)!.pdf_base64);
    const text = read.map((page) => page.text).join('\n');
    let position = 0;
    for (const expected of texts) {
      const found = text.indexOf(expected, position);
      expect(found, `${expected} in ${text.slice(0, 500)}`).toBeGreaterThanOrEqual(0);
      position = found + expected.length;
    }
    if (pages !== undefined) expect(read).toHaveLength(pages);
  });

  it.skipIf(!canCompare)('looks as LibreOffice itself prints it', async () => {
    const documents = new Map(Object.entries(features).map(([name, { docx }]) => [name, docx]));
    const expected = await convertWithCommandLine(documents);
    const similarities: number[] = [];
    for (const [name, { pdf_base64 }] of results) {
      const own = expected.get(name)!;
      expect([name, sizesOf(await readPdf(pdf_base64))]).toEqual([
        name,
        sizesOf(await readPdf(own.toString('base64'))),
      ]);
      similarities.push(...(await similaritiesOf(pdfBytes(pdf_base64), own)));
    }
    expect(medianOf(similarities)).toBeGreaterThan(0.95);
  });
});
