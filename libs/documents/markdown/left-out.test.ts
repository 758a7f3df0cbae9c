import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convertMarkdown } from './convert.ts';

const cells = 'cells beyond the columns of the table header';
const unused = 'footnotes that nothing refers to';

const leftOut = (markdown: string) =>
  (convertMarkdown(markdown, null).warnings ?? []).map((warning) =>
    warning.kind === 'content_left_out'
      ? [warning.content, warning.count, warning.line, warning.source]
      : [warning.kind],
  );

describe('A warning names', () => {
  test('the first cell beyond the header, and how many there are in the table', () => {
    const rows = ['| a | b |', '|---|---|', '| 1 | 2 |', '| 1 | 2 | 9.50 | |', '1 | 2 || 3 | 4 |'];
    expect(leftOut(rows.join('\n'))).toEqual([[cells, 3, 4, '9.50']]);
  });

  test.each([
    ['code', '| a | b |\n|---|---|\n| `x|y` | why |', 3, 'why'],
    ['a quotation', '> a | b\n> --|--\n> 1 | 2 | 3', 3, '3'],
    ['a list', '- a\n\n  | a | b |\n  |---|---|\n  | 1 | 2 | 3 |', 5, '3'],
    ['a document with front matter', '---\ntitle: A\n---\n\n| a |\n|---|\n| 1 | 2 |', 7, '2'],
  ])('a cell in %s', (_, markdown, line, source) => {
    expect(leftOut(markdown)).toEqual([[cells, 1, line, source]]);
  });

  test('each cell that is not printed, and no other', () => {
    const cell = fc.constantFrom('', 'x', 'two words', 'a\\|b', '*c*');
    const table = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.array(fc.array(cell, { minLength: 1, maxLength: 5 })));
    fc.assert(
      fc.property(table, ([columns, rows]) => {
        const row = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
        const head = [row(Array<string>(columns).fill('h')), row(Array<string>(columns).fill('---'))];
        const markdown = [...head, ...rows.map(row)].join('\n');
        const lost = rows.flatMap((texts, index) =>
          texts
            .slice(columns)
            .filter(Boolean)
            .map((text) => ({ line: index + 3, text })),
        );
        const [first] = lost;
        expect(leftOut(markdown)).toEqual(first ? [[cells, lost.length, first.line, first.text]] : []);
      }),
    );
  });

  test('a footnote that nothing refers to', () => {
    expect(leftOut('Text[^a].\n\n[^a]: Used.\n[^b]: Not used,\n    in two lines.\n[^c]:')).toEqual([
      [unused, 1, 4, '[^b]'],
    ]);
  });

  test('a footnote whose label is defined again', () => {
    const markdown = 'Text[^a].\n\n[^a]: First.\n\n[^a]: Second.';
    expect(leftOut(markdown)).toEqual([['footnotes whose label is defined again', 1, 3, '[^a]']]);
    expect(convertMarkdown(markdown, null).html).not.toContain('First.');
  });
});

test('A document that loses nothing has no warning', () => {
  const markdown =
    '| a | b |\n|---|---|\n| 1 | 2 | |\n| 1 | 2 | <!-- c --> |\n| 1 |\n| a\\|b | `c\\|d` |\n\nText[^1] and^[inline].\n\n[^1]: Note.';
  expect(leftOut(markdown)).toEqual([]);
});
