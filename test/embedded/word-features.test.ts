import { beforeAll, describe, expect, it } from 'vitest';
import { wordFeatures } from '../fixtures/documents/word-features.ts';
import { type ApiClient, createClient, type RenderResult } from '../support/client/api-client.ts';
import { canCompare, convertWithCommandLine } from '../support/documents/compare-pdfs.ts';
import { isOfficeAvailable } from '../support/documents/office-available.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
const features = wordFeatures();
const results = new Map<string, RenderResult>();
let caller: ApiClient;

const sizesOf = (pages: { width: number; height: number }[]): string[] =>
  pages.map(({ width, height }) => `${Math.round(width)} x ${Math.round(height)}`);

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

  it.skipIf(!canCompare)('has the pages that LibreOffice itself prints', async () => {
    const documents = new Map(Object.entries(features).map(([name, { docx }]) => [name, docx]));
    const expected = await convertWithCommandLine(documents);
    for (const [name, { pdf_base64 }] of results) {
      const ofLibreOffice = await readPdf(expected.get(name)!.toString('base64'));
      expect([name, sizesOf(await readPdf(pdf_base64))]).toEqual([name, sizesOf(ofLibreOffice)]);
    }
  });
});
