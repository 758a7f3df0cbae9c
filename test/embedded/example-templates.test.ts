import { beforeAll, describe, expect, it } from 'vitest';
import { type Example, exampleNames, readExample } from '#libs/templating/examples.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type Body, createClient, type RenderResult } from '../support/client/api-client.ts';
import { type PdfPage, readPdf } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { type TemplateClient, createTemplateClient } from '../support/client/template-client.ts';

const at = sharedService();
let templates: TemplateClient;
beforeAll(
  async () =>
    void (templates = createTemplateClient(createClient(at.service.url, await createUnlimitedKey(at.installation)))),
);

/** In millimetres. The browser rounds margins to its own units. */
const tolerance = 1;

/** A sample with changed texts and numbers. Dates, currencies and percentages are not changed: other values are not allowed. */
const changed = (
  sample: unknown,
  change: { text?: (text: string) => string; number?: (value: number) => number },
): Body => {
  const isFixed = (text: string): boolean => /^[A-Z]{3}$|^\d{4}-\d\d-\d\d/.test(text);
  const visit = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string') return isFixed(value) ? value : (change.text?.(value) ?? value);
    if (typeof value === 'number') return name === 'percent' ? value : (change.number?.(value) ?? value);
    if (Array.isArray(value)) return value.map((one) => visit(one));
    return Object.fromEntries(Object.entries(value as object).map(([field, one]) => [field, visit(one, field)]));
  };
  return visit(sample) as Body;
};

/** Adds a long word before every text and a unique short one after it. */
const withLongWords = ({ sample }: Example, length: number) => {
  const marks: string[] = [];
  const mark = (): string => marks[marks.push(`q${marks.length}z`) - 1]!;
  return { data: changed(sample, { text: (text) => `${'W'.repeat(length)} ${text} ${mark()}` }), marks };
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

const create = async ({ template }: Example): Promise<string> =>
  (
    await templates.create(template.content, {
      variables: template.variables,
      default_options: template.default_options,
    })
  ).id;

const rendered = async (id: string, data: Body): Promise<PdfPage[]> =>
  readPdf((await templates.expectStatus<RenderResult>(200, templates.render(id, data))).pdf_base64);

/** The texts outside the margins of their page. */
const outside = (
  pages: readonly PdfPage[],
  {
    template: {
      default_options: { margin_left = 0, margin_right = 0 },
    },
  }: Example,
): string[] =>
  pages.flatMap(({ width, height, runs }) =>
    runs
      .filter(
        ({ left, right, top }) =>
          left < margin_left - tolerance || right > width - margin_right + tolerance || top < 0 || top > height,
      )
      .map(({ text, left, right }) => `${text} from ${left} to ${right} of ${width} mm`),
  );

const textOf = (pages: readonly PdfPage[]): string => pages.map(({ text }) => text).join('\n');
const sizesOf = (pages: readonly PdfPage[]): number[] =>
  [...new Set(pages.flatMap(({ runs }) => runs.map(({ size }) => Math.round(size * 10) / 10)))].toSorted(
    (a, b) => a - b,
  );

describe.each(exampleNames)('The shipped template "%s"', (name) => {
  it.each([90, 110, 130])(
    'keeps every text and amount on the page with words of %i letters in every field',
    async (length) => {
      const example = await readExample(name);
      const id = await create(example);
      const { data, marks } = withLongWords(example, length);
      const [usual, pages] = [await rendered(id, example.sample), await rendered(id, data)];
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

  it('keeps the largest possible numbers on the page', async () => {
    const example = await readExample(name);
    const pages = await rendered(
      await create(example),
      changed(example.sample, { number: (value) => (value === 0 ? 0 : -Number.MAX_VALUE) }),
    );
    expect(outside(pages, example)).toEqual([]);
  });
});
