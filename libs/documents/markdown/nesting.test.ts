import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { convertMarkdown } from './convert.ts';
import { maxNestingDepth } from './plugins.ts';

const outcomeOf = (text: string): { html: string } | { line: unknown } => {
  try {
    return { html: convertMarkdown(text, null).html };
  } catch (error) {
    if (error instanceof ApiError && error.fields.name === 'invalid_markdown')
      return { line: error.fields.extra['line'] };
    throw error;
  }
};

const marks = ['> ', '- ', '1. '] as const;
type Mark = (typeof marks)[number];

/** Each level on its own line within the levels before it, with its own word. */
const onLines = (levels: readonly Mark[]): string =>
  levels
    .map(
      (mark, depth) =>
        levels
          .slice(0, depth)
          .map((outer) => (outer === '> ' ? '> ' : ' '.repeat(outer.length)))
          .join('') + `${mark}word${depth}`,
    )
    .join('\n\n');
/** All levels on the third line. */
const onOneLine = (levels: readonly Mark[]): string => `before\n\n${levels.join('')}within\n\nafter`;

const words = (text: string): string[] => text.match(/[a-z]+\d*/g) ?? [];
const lost = (text: string, html: string): string[] =>
  words(text).filter((word) => !new RegExp(`\\b${word}\\b`).test(html));

const levels = fc.oneof(
  fc.array(fc.constantFrom(...marks), { minLength: 1, maxLength: 130 }),
  fc
    .tuple(fc.constantFrom(...marks), fc.integer({ min: 1, max: 130 }))
    .map(([mark, depth]) => Array.from({ length: depth }, () => mark)),
);

describe('quotations and lists in Markdown', () => {
  test('keep every word down to the deepest allowed level, and are refused with the line beyond it', () => {
    fc.assert(
      fc.property(levels, fc.constantFrom(onLines, onOneLine), (nested, write) => {
        const text = write(nested);
        const outcome = outcomeOf(text);
        const isAllowed = nested.length <= maxNestingDepth;
        expect('html' in outcome).toBe(isAllowed);
        if ('html' in outcome) expect(lost(text, outcome.html)).toEqual([]);
        else expect(outcome.line).toBe(write === onOneLine ? 3 : 2 * maxNestingDepth + 1);
      }),
      { numRuns: 60 },
    );
  });

  test('are refused with ten thousand levels', () => {
    for (const mark of marks) expect(outcomeOf(`a\n\n${mark.repeat(10_000)}b`)).toEqual({ line: 3 });
  });

  test('are refused with too many levels in footnotes too', () => {
    expect(outcomeOf(`a[^1]\n\n[^1]: ${'> '.repeat(maxNestingDepth)}b`)).toEqual({ line: 3 });
  });
});

test('a footnote that is referred to twice has one number', () => {
  const { html } = convertMarkdown('One[^n] and again[^n] and another^[inline].\n\n[^n]: note', null);
  expect([...html.matchAll(/\[(\d[^\]]*)\]/g)].map(([, number]) => number)).toEqual(['1', '1', '2']);
});

test('footnotes inside inline footnotes keep their text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.boolean(), (depth, withNote) => {
      const levels = Array.from({ length: depth }, (_, level) => level);
      const [reference, note] = withNote ? ['[^n]', '\n\n[^n]: note'] : ['', ''];
      const opening = levels.map((level) => `word${level}^[`).join('');
      const closing = levels.map((level) => `] after${level}`).join('');
      const text = `${opening}within${reference}${closing}${note}`;
      const { html } = convertMarkdown(text, null);
      expect(lost(text.replaceAll('[^n]', ''), html)).toEqual([]);
      expect(html.match(/class="footnote-item"/g)).toHaveLength(depth + Number(withNote));
    }),
  );
});
