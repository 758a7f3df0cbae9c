import { beforeAll, describe, expect, it } from 'vitest';
import { toMillimetres } from '#contracts/http/lengths.ts';
import { type Example, exampleNames, invoiceExample, readExample } from '#libs/templating/examples.ts';
import { labelsFor } from '#libs/templating/labels.ts';
import { expanded } from '#libs/templating/testing/expand-template.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type Body, createClient, type RenderResult } from '../support/client/api-client.ts';
import { type PdfPage, readPdf, withoutDates } from '../support/documents/read-pdf.ts';
import { changedData, hostileData, longListRows } from '../support/documents/hostile-data.ts';
import { outsideOf, overlapsOf } from '../support/documents/page-layout.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { type TemplateClient, createTemplateClient } from '../support/client/template-client.ts';

const at = sharedService();
let templates: TemplateClient;
beforeAll(
  async () =>
    void (templates = createTemplateClient(createClient(at.service.url, await createUnlimitedKey(at.installation)))),
);

/** The data that the page shows. An invoice has some for its XML alone. */
const shownData = ({ folder, sample }: Example): Body => {
  if (folder !== invoiceExample) return sample;
  const data = structuredClone(sample) as { seller: Body; customer: Body; items: Body[] };
  delete data.seller['contact'];
  delete data.customer['email'];
  for (const item of data.items) delete item['unit_code'];
  return data;
};

/** Adds a long word before every text and a unique short one after it. */
const withLongWords = (example: Example, length: number) => {
  const marks: string[] = [];
  const mark = (): string => marks[marks.push(`q${marks.length}z`) - 1]!;
  return {
    data: changedData(shownData(example), { text: (text) => `${'W'.repeat(length)} ${text} ${mark()}` }),
    marks,
  };
};

/** The amounts of a sample as the template writes them. */
const amountsOf = ({ sample }: Example): string[] => {
  const amounts: string[] = [];
  const visit = (value: unknown, currency: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const own = (value as Body)['currency'] ?? currency;
    for (const [name, one] of Object.entries(value)) {
      if (/^(amount|total|subtotal)$/.test(name) && typeof one === 'number')
        amounts.push(
          new Intl.NumberFormat('en', { style: 'currency', currency: String(own) })
            .format(one)
            .replaceAll('\u00a0', ' '),
        );
      visit(one, own);
    }
  };
  visit(sample, undefined);
  return amounts;
};

const ids = new Map<string, Promise<string>>();
/** The id of an example, which is stored once. No XML: changed data are no invoice whose totals add up. */
const create = ({ folder, template: { name: _, content, ...fields } }: Example): Promise<string> => {
  const { factur_x: __, conformance: ___, ...options } = fields.default_options;
  const id =
    ids.get(folder) ?? templates.create(content, { ...fields, default_options: options }).then((created) => created.id);
  ids.set(folder, id);
  return id;
};

const rendered = async (id: string, data: Body, fields: Body = {}): Promise<PdfPage[]> =>
  readPdf((await templates.expectStatus<RenderResult>(200, templates.render(id, data, fields))).pdf_base64);

const samples = new Map<string, Promise<PdfPage[]>>();
/** The pages of an example with the data of a kind, or with its sample. Each is rendered once. */
const renderedOnce = (example: Example, kind = 'sample', locale = 'en'): Promise<PdfPage[]> => {
  const key = `${example.folder} ${kind}`;
  const data = hostileData[kind]?.(example.sample) ?? example.sample;
  const pages = samples.get(key) ?? create(example).then((id) => rendered(id, data, { locale }));
  samples.set(key, pages);
  return pages;
};

const outside = (pages: readonly PdfPage[], { template: { default_options: options } }: Example): string[] =>
  outsideOf(pages, { left: toMillimetres(options.margin_left ?? 0), right: toMillimetres(options.margin_right ?? 0) });

const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'cs'];

/** Each kind of hostile data in the next language. The headings of long lists are looked for in English. */
const kindsWithLocales = [
  ['long lists', 'en'],
  ...Object.keys(hostileData)
    .filter((kind) => kind !== 'long lists')
    .map((kind, index) => [kind, languages[index % languages.length]!]),
] as [kind: string, locale: string][];

/** A text as it can be found in a PDF: letter-spacing makes a run of each letter, and styles change the case. */
const dense = (text: string): string => text.replaceAll(/[\s\u2010-\u2011-]/g, '').toLowerCase();

/** The text in HTML, without its title, styles, tags and attributes. */
const shownText = (html: string): string =>
  html.replaceAll(/<(style|title)[^>]*>.*?<\/\1>|<!--.*?-->|<(?:"[^"]*"|'[^']*'|[^'">])*>/gs, ' ');

const textOf = (pages: readonly PdfPage[]): string => pages.map(({ text }) => text).join('\n');
/** The font sizes of the texts. The number of the page has its own. */
const sizesOf = (pages: readonly PdfPage[]): number[] => {
  const runs = pages.flatMap((page) => page.runs.filter(({ text }) => !/^\d+ \/ \d+$/.test(text)));
  return [...new Set(runs.map(({ size }) => Math.round(size * 10) / 10))].toSorted((a, b) => a - b);
};

describe.each([...exampleNames, invoiceExample] as const)('The example template "%s"', (name) => {
  it.each([90, 130])(
    'keeps every text and amount on the page with words of %i letters in every field',
    async (length) => {
      const example = await readExample(name);
      const id = await create(example);
      const { data, marks } = withLongWords(example, length);
      const [usual, pages] = [await renderedOnce(example), await rendered(id, data)];
      expect(outside(pages, example)).toEqual([]);
      const text = textOf(pages);
      // Letter-spacing makes a run of each letter.
      const dense = text.replaceAll(/\s/g, '').toLowerCase();
      expect(marks.filter((mark) => !dense.includes(mark))).toEqual([]);
      expect(dense.match(/w/g)?.length ?? 0).toBeGreaterThanOrEqual(marks.length * length);
      expect(
        amountsOf(example).filter((amount) => !pages.some(({ runs }) => runs.some((run) => run.text.includes(amount)))),
      ).toEqual([]);
      // The browser scales down a page whose content is too wide.
      expect(sizesOf(pages)).toEqual(sizesOf(usual));
    },
  );

  it.each(kindsWithLocales)(
    'keeps every text on the page and apart from the others with data of %s in %s',
    async (kind, locale) => {
      const example = await readExample(name);
      const pages = await renderedOnce(example, kind, locale);
      expect(outside(pages, example)).toEqual([]);
      expect(overlapsOf(pages)).toEqual([]);
      const numbers = pages.map((page, index) =>
        page.runs.some(({ text }) => text.includes(`${index + 1} / ${pages.length}`)),
      );
      if (name === 'letter') numbers[0] = pages.length > 1;
      expect(new Set(numbers)).toEqual(new Set([pages.length > 1]));
    },
  );

  it('has its labels in every language', async () => {
    const { template, sample } = await readExample(name);
    const { content, variables, labels } = template;
    const textIn = (locale: string): string =>
      dense(shownText(expanded(content, sample, { variables, labels: labelsFor(labels, locale) })));
    const english = textIn('en');
    const shown = Object.entries(labels['en']!).filter(([, text]) => text && english.includes(dense(text)));
    expect(shown).not.toEqual([]);
    const missing = languages.flatMap((locale) => {
      const text = textIn(locale);
      return shown
        .map(([label]) => ({ locale, label, expected: labels[locale]?.[label] }))
        .filter(({ expected }) => expected === undefined || !text.includes(dense(expected)));
    });
    expect(missing).toEqual([]);
  });

  it('has room for the longest labels of all languages', async () => {
    const example = await readExample(name);
    const { content, name: _, labels, ...fields } = example.template;
    const { factur_x: __, conformance: ___, ...default_options } = fields.default_options;
    const longest = Object.keys(labels['en']!).map((label): [string, string] => [
      label,
      languages.map((locale) => labels[locale]![label]!).reduce((a, b) => (b.length > a.length ? b : a)),
    ]);
    const en = Object.fromEntries(longest);
    const { id } = await templates.create(content, { ...fields, labels: { en }, default_options });
    const pages = await rendered(id, example.sample);
    expect(overlapsOf(pages)).toEqual([]);
    expect(outside(pages, example)).toEqual([]);
  });
});

/** The pages with their rows: how often each of these texts is on them. */
const pagesWith = (pages: readonly PdfPage[], text: string): number[] =>
  pages.flatMap(({ text: shown }, index) => (dense(shown).includes(dense(text)) ? [index] : []));

describe('A long list', () => {
  it.each([
    ['invoice', ['Description', 'Unit price'], 'Exhibition catalogue, layout', 'Total due'],
    ['e-invoice', ['Description', 'Unit price'], 'Exhibition catalogue, layout', 'Total due'],
    ['receipt', ['Item', 'Amount'], 'Postcards, set of eight', 'Total'],
    ['contract', ['Deliverable', 'Fee'], 'Catalogue, chapters 1 to 4', null],
    ['report', ['Visitors', 'Per buyer'], '14,380', null],
  ] as const)(
    'repeats its headings on every page of the %s, and keeps its totals with the last row',
    async (name, headings, row, total) => {
      const example = await readExample(name);
      const pages = await renderedOnce(example, 'long lists');
      const withRows = pagesWith(pages, row);
      expect(withRows.length).toBeGreaterThan(2);
      for (const heading of headings) expect(pagesWith(pages, heading)).toEqual(expect.arrayContaining(withRows));
      if (total !== null) {
        const items = example.sample['items'] as { description: string }[];
        const last = pagesWith(pages, items[(longListRows - 1) % items.length]!.description).at(-1);
        expect(pagesWith(pages, total).at(-1)).toBe(last);
      }
    },
  );
});

it('The numbers of a contract are beside their paragraphs, also at the end of a page', async () => {
  const example = await readExample('contract');
  const id = await create(example);
  const paragraphs = Array.from({ length: 20 }, (_, index) => `Text ${index + 1}.`);
  const data = {
    ...example.sample,
    clauses: [
      { title: 'One', paragraphs },
      { title: 'Two', paragraphs: ['Last'] },
    ],
  };
  for (const height of [149.6, 149.8, 150, 150.2, 150.4]) {
    const pages = await rendered(id, data, { width: 210, height });
    const alone = paragraphs.filter((text, index) => {
      const runs = pages.find((page) => page.text.includes(text))!.runs;
      const { top } = runs.find((one) => one.text === text)!;
      return !runs.some((one) => one.text === `1.${index + 1}` && Math.abs(one.top - top) < 0.3);
    });
    expect([height, alone]).toEqual([height, []]);
  }
});

it('A certificate fits on one page of A5', async () => {
  const example = await readExample('certificate');
  expect(await rendered(await create(example), example.sample, { page_size: 'A5' })).toHaveLength(1);
});

it.each([
  ['A6', { page_size: 'A6' }],
  ['a roll of 80 mm', { width: 80, height: 200, margin_left: 4, margin_right: 4 }],
  ['a roll of 58 mm', { width: 58, height: 200, margin_left: 4, margin_right: 4 }],
])('A receipt on %s has its total on one line', async (_, page) => {
  const example = await readExample('receipt');
  const pages = await rendered(await create(example), { ...example.sample, total: 12_594.5 }, page);
  const totals = pages.flatMap(({ runs }) => runs.filter(({ text }) => text.endsWith('12,594.50')));
  expect(totals).toHaveLength(2);
});

it('A bar of a report without a valid share is as short as that of 0 percent, and a share in words is an error', async () => {
  const example = await readExample('report');
  const id = await create(example);
  const render = (percent: unknown) => {
    const bars = [{ label: 'Toys', value: '11,230', percent }];
    return templates.render(id, { ...example.sample, sections: [{ title: 'Revenue', chart: { bars } }] });
  };
  const pdfOf = async (percent: unknown): Promise<string> =>
    withoutDates((await templates.expectStatus<RenderResult>(200, render(percent))).pdf_base64);
  const [zero, ten, ...others] = await Promise.all([0, 10, '10', -12, null].map(pdfOf));
  expect(zero).not.toBe(ten);
  expect(others).toEqual([ten, zero, zero]);
  expectErrorResponse(await render('46 %'), 'template_render_error', {
    message: expect.stringMatching(/"percent" is "46 %", which is not a number/),
  });
});
