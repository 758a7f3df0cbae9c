import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { outsideOf } from '../support/documents/page-layout.ts';
import { findTextRun, type PdfPage } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => void (caller = createClient(at.service.url, await createUnlimitedKey(at.installation))));

const pageOf = async (inputType: string, data: unknown): Promise<PdfPage> =>
  (await caller.renderedPages(inputType, data))[0]!;
const textsOf = ({ runs }: PdfPage): string[] => runs.map(({ text }) => text);
const margins = { left: 15, right: 15 };

describe('A line of a JSON tree begins at the edge of the document', () => {
  it('with a value from right to left in a document from left to right', async () => {
    const page = await pageOf('json', { notes: ['הלקוח', 'call -5'] });
    expect(outsideOf([page], margins)).toEqual([]);
    const [first, value, second] = [findTextRun(page, '1.'), findTextRun(page, 'הלקוח'), findTextRun(page, '2.')];
    expect(first.left).toBeCloseTo(second.left, 1);
    expect(value.top).toBeCloseTo(first.top, 1);
    expect(value.left - first.right).toBeLessThan(3);
  });

  it('with numbers in a document from right to left, whose minus is before them', async () => {
    const page = await pageOf('json', { כמות: -5, רשימה: [-1, '+4%'] });
    expect(outsideOf([page], margins)).toEqual([]);
    expect(textsOf(page)).toEqual(expect.arrayContaining(['-5', '2 items', '-1', '+4%']));
    for (const text of ['-5', '-1', '+4%']) expect(findTextRun(page, text).left).toBeGreaterThan(page.width / 2);
  });
});

describe('A number from right to left has its sign before it', () => {
  const table = { header: ['שם', 'סכום', 'אחוז'], row: ['עט', '-12.50', '+3%'] };

  it.each([
    ['csv', [table.header, table.row].map((row) => row.join(',')).join('\n')],
    ['json', [Object.fromEntries(table.header.map((name, index) => [name, table.row[index]]))]],
  ])('in a table of %s, at the end of its column', async (inputType, data) => {
    const page = await pageOf(inputType, data);
    expect(textsOf(page)).toEqual(expect.arrayContaining(['-12.50', '+3%']));
    expect(findTextRun(page, '-12.50').left).toBeCloseTo(findTextRun(page, 'סכום').left, 0);
  });

  it('in a list of Markdown, beside its mark', async () => {
    const page = await pageOf('markdown', '- עט\n- -12.50\n- **-3**');
    expect(textsOf(page)).toEqual(expect.arrayContaining(['-12.50', '-3']));
    expect(findTextRun(page, '-12.50').right).toBeCloseTo(findTextRun(page, 'עט').right, 0);
  });
});

it('Paragraphs of list items begin beside the mark or box, also in the other direction', async () => {
  const right = await pageOf('markdown', '- [ ] קנה\n\n- [x] Buy milk\n\n- [ ] לחם');
  expect(findTextRun(right, 'Buy milk').right).toBeCloseTo(findTextRun(right, 'קנה').right, 0);
  const left = await pageOf('markdown', '- [x] Buy milk\n\n- [ ] קנה\n\n  > חלב');
  expect(findTextRun(left, 'קנה').left).toBeCloseTo(findTextRun(left, 'Buy').left, 0);
  expect(findTextRun(left, 'חלב').right).toBeGreaterThan(left.width - 25);
});
