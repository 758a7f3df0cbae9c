import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convertMarkdown } from './convert.ts';

const tableOf = (rows: readonly (readonly string[])[]): string => {
  const [header = [], ...body] = rows.map((row) => `|${row.join('|')}|`);
  return [header, `|${'-|'.repeat(rows[0]!.length)}`, ...body].join('\n');
};
const columns = (count: number, name = 'Column') => Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);
const bodyOf = (text: string, textWidthMm?: number) =>
  /<main[^>]*>([^]*)<\/main>/.exec(convertMarkdown(text, null, { textWidthMm }).html)?.[1] ?? '';
const tablesIn = (body: string) => body.match(/<table[^]*?<\/table>/g) ?? [];

describe('a Markdown table', () => {
  test('that fits is left to the browser', () => {
    const body = bodyOf(tableOf([columns(5), columns(5, 'Value')]));
    expect(body).not.toContain('class="grid"');
    expect(tablesIn(body)).toHaveLength(1);
  });

  test('that is too wide gets smaller type, then groups of columns with the first one in each', () => {
    const [ten, thirty] = [10, 30].map((count) => bodyOf(tableOf([columns(count), columns(count, 'Value')])));
    expect(tablesIn(ten!)).toHaveLength(1);
    expect(ten).toMatch(/<table class="grid"[^>]* style="--characters:1\d\d/);
    expect(tablesIn(thirty!).length).toBeGreaterThan(1);
    for (const table of tablesIn(thirty!)) {
      expect(table).toContain('>Column 1</th>');
      expect(table).toContain('>Value 1</td>');
    }
    expect(thirty).toContain('of 30</p>');
  });

  test('takes the width of the paper into account, and of the lists around it', () => {
    const text = tableOf([columns(12), columns(12, 'Value')]);
    const countFor = (width: number, markdown = text) => tablesIn(bodyOf(markdown, width)).length;
    expect([60, 180, 390].map((width) => countFor(width))).toEqual([4, 1, 1]);
    expect(bodyOf(text, 390)).not.toContain('class="grid"');
    const wide = tableOf([columns(20), columns(20, 'Value')]);
    const nested = wide.replace(/^/gm, '        ').replace('        ', '- - - - ');
    expect([countFor(285, wide), countFor(285, nested)]).toEqual([1, 2]);
  });

  test('takes the paper that the document names, unless the request names other paper', () => {
    const text = tableOf([columns(30), columns(30, 'Value')]);
    const named = `---\npage_size: A3\norientation: landscape\n---\n\n${text}`;
    const countFor = (markdown: string, namedOptions = {}) =>
      tablesIn(convertMarkdown(markdown, null, { textWidthMm: 180, namedOptions }).html).length;
    expect([countFor(text), countFor(named), countFor(named, { page_size: 'A5' })]).toEqual([3, 2, 3]);
  });

  test('keeps alignment, formatting and links of its cells', () => {
    const rows = [columns(20), Array.from({ length: 20 }, () => '**bold** [link](https://h/)')];
    const body = bodyOf(tableOf(rows).replace('-|-|', '-|-:|'));
    expect(body.match(/<strong>bold<\/strong> <a href="https:\/\/h\/">link<\/a>/g)!.length).toBeGreaterThan(19);
    expect(body).toContain('<td style="text-align:right"><strong>');
  });

  test('keeps every cell at any width of the paper', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'B', '7', 'é', ' ', '字'), minLength: 1, maxLength: 40 });
    const table = fc
      .integer({ min: 1, max: 30 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 2, maxLength: 5 }),
      );
    fc.assert(
      fc.property(table, fc.integer({ min: 20, max: 900 }), (rows, width) => {
        const cells = bodyOf(tableOf(rows), width).match(/(?<=<t[dh][^>]*>)[^<]*/g) ?? [];
        for (const text of rows.flat()) expect(cells).toContain(text.trim());
      }),
      { numRuns: 50 },
    );
  });
});
