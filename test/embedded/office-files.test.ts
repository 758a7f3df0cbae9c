import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { compareWithCommandLine, hasSamePages } from '../support/documents/compare-office.ts';
import { canCompare, similaritiesOf } from '../support/documents/compare-pdfs.ts';
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

/** What right pages have at least. They have 1, and 0.98 with pictures, which are compressed again. */
const lowestSimilarity = 0.9;

const draw = async (html: string): Promise<Buffer> =>
  Buffer.from(
    (await caller.render('html', `<style>span { text-decoration: underline }</style>${html}`)).pdf_base64,
    'base64',
  );

describe.skipIf(!canCompare || sample.length === 0)('Word documents that others made', () => {
  it('have the pages and the text that LibreOffice itself prints, and look like them', async () => {
    const compared = await compareWithCommandLine(
      sample,
      async (type, file) => (await caller.render(type, file)).pdf_base64,
    );
    expect(compared.filter((one) => !hasSamePages(one) || !one.hasSameText)).toEqual([]);
    const different = compared.filter((one) => one.similarities.some((similarity) => similarity < lowestSimilarity));
    expect(different).toEqual([]);
  });

  it.each([
    ['that is blank', '<p style="visibility: hidden">Sum <span>12</span>'],
    ['in bold', '<p><b>Sum <span>12</span>'],
    ['without a line', '<p>Sum <span style="text-decoration: none">12</span>'],
    ['that begins lower', '<p style="position: relative; top: 2pt">Sum <span>12</span>'],
  ])('do not look like a page %s', async (_, html) => {
    const [page, other] = await Promise.all(['<p>Sum <span>12</span>', html].map(draw));
    expect(Math.max(...(await similaritiesOf(page!, other!)))).toBeLessThan(lowestSimilarity);
    expect(await similaritiesOf(page!, page!)).toEqual([1]);
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
