import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { compareWithCommandLine, hasSamePages } from '../support/documents/compare-office.ts';
import { canCompare } from '../support/documents/compare-pdfs.ts';
import { filesOfOtherFormats, officeFile, wordFilesOfOthers } from '../support/documents/office-files.ts';
import { isOfficeAvailable } from '../support/documents/office-available.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

/** Ten of them, from all parts of the list. `npm run bench -- word` compares all. */
const sample = wordFilesOfOthers.filter((_, index) => index % Math.ceil(wordFilesOfOthers.length / 10) === 0);

describe.skipIf(!canCompare || sample.length === 0)('Word documents that others made', () => {
  it('have the pages and the text that LibreOffice itself prints, and look like them', async () => {
    const compared = await compareWithCommandLine(
      sample,
      async (type, file) => (await caller.render(type, file)).pdf_base64,
    );
    expect(compared.filter((one) => !hasSamePages(one) || !one.hasSameText)).toEqual([]);
    const similarities = compared.flatMap((one) => one.similarities).toSorted((a, b) => a - b);
    expect(similarities[similarities.length >> 1]).toBeGreaterThan(0.95);
  });
});

const textsOf: Record<string, string[]> = { odt: ['Subject'], doc: ['Subject'], pptx: ['First slide', 'Second slide'] };

describe.skipIf(!isOfficeAvailable)('A file of another office format', () => {
  it.each(filesOfOtherFormats)('%s is printed with its text, and again with the same bytes', async (name) => {
    const type = name.slice(name.lastIndexOf('.') + 1);
    const { id, pdf_base64 } = await caller.render(type, officeFile(name).toString('base64'));
    const text = (await readPdf(pdf_base64)).map((page) => page.text).join(' ');
    for (const expected of textsOf[type]!) expect(text).toContain(expected);
    expect((await caller.request('POST', `/api/v1/renders/${id}/verify`)).body).toMatchObject({ matches: true });
  });
});
