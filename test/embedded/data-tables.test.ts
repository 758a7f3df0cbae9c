import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient, type ApiClient } from '../support/client/api-client.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const orders = {
  shop: 'Paper & Ink',
  currency: 'EUR',
  orders: Array.from({ length: 60 }, (_, index) => ({
    id: 1000 + index,
    customer: { name: 'Ada Lovelace', city: 'London' },
    total: 12.5 + index,
    labels: ['new', 'gift'],
  })),
};
const item = (index: number) =>
  `<item><title>Item ${index}</title><dc:creator>Ada</dc:creator><description><![CDATA[<b>x</b>]]></description></item>`;
const feed =
  '<rss version="2.0" xmlns:dc="urn:dc"><channel><title>News</title>' +
  `${item(1)}${item(2)}${item(3)}</channel></rss>`;

/** The pages of a PDF, their text on one line. */
const pagesOf = async (base64: string) =>
  (await readPdf(base64)).map(({ text }) => ({ text: text.replace(/\s+/g, ' ') }));

/** The title in the document information, which the browser writes as UTF-16 in hexadecimal or as text. */
const hasTitle = (base64: string, title: string): boolean => {
  const pdf = Buffer.from(base64, 'base64').toString('latin1');
  const hex = Buffer.from(title, 'utf16le').swap16().toString('hex').toUpperCase();
  return pdf.includes(`(${title})`) || pdf.toUpperCase().includes(hex);
};

describe('Data that repeats', () => {
  it('in JSON is a table with groups of columns, whose two header rows repeat on each page', async () => {
    const { pdf_base64, pages, warnings } = await caller.render('json', orders, { file_name: 'march.json' });
    const [first, second] = await pagesOf(pdf_base64);
    expect(pages).toBeGreaterThan(1);
    expect(warnings).toBeUndefined();
    expect(first!.text).toMatch(/shop Paper & Ink currency EUR orders/);
    for (const page of [first, second])
      for (const name of ['id', 'customer', 'name', 'city', 'total', 'labels']) expect(page!.text).toContain(name);
    expect(first!.text).toContain('1000 Ada Lovelace London 12.5 new, gift');
    expect(hasTitle(pdf_base64, 'march')).toBe(true);
  });

  it('in XML is a table too, with namespaces and character data', async () => {
    const { pdf_base64 } = await caller.render('xml', feed);
    const [page] = await pagesOf(pdf_base64);
    expect(page!.text).toContain('title dc:creator description');
    expect(page!.text).toContain('Item 3 Ada <b>x</b>');
    expect(hasTitle(pdf_base64, 'rss')).toBe(true);
  });

  it('in CSV has the delimiter detected, and the title of its file', async () => {
    for (const delimiter of ['\t', ';', ',']) {
      const data = [
        ['Id', 'Name'],
        ['7', 'Ada'],
      ]
        .map((row) => row.join(delimiter))
        .join('\n');
      const { pdf_base64 } = await caller.render('csv', data, { file_name: 'people.csv.pdf' });
      expect((await readPdf(pdf_base64))[0]!.text).toMatch(/Id Name\s7 Ada/);
      expect(hasTitle(pdf_base64, 'people')).toBe(true);
    }
  });
});

it('A tree of a thousand values is a small PDF', async () => {
  const nested = (depth: number): unknown =>
    depth === 0
      ? 'value'
      : Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`k${index}`, nested(depth - 1)]));
  const { file_size_kb, pages } = await caller.render('json', nested(3));
  expect(pages).toBeGreaterThan(10);
  expect(file_size_kb).toBeLessThan(100);
});
