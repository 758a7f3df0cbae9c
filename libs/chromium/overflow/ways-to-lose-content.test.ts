import { expect, test } from 'vitest';
import { waysToLoseContent } from './ways-to-lose-content.ts';

test.each([
  ['p { margin-left: calc(100% - 2cm) }', 'outside'],
  [`p { width: calc(${'1px + '.repeat(100)}1px) }`, 'outside'],
  ['p { flex-flow: wrap column }', 'outside'],
  ['p { overflow: hidden auto }', 'other'],
  ['p { width: calc(1px + 2px); overflow: hidden }', 'none'],
])('%s can lose content: %s', (css, ways) => expect(waysToLoseContent(`<style>${css}</style>`)).toBe(ways));

// The shipped templates are for both directions; an invoice from left to right needs no search.
test.each([
  ['<html dir="ltr"><style>[dir=rtl] p { color: red }</style><p dir=ltr>Text</p>', 'none'],
  ['<p dir=rtl>Text', 'outside'],
  ['<p dir="auto">Text', 'outside'],
  ['<p lang="ar"dir = "rtl">Text', 'outside'],
  ['<p style="unicode-bidi: plaintext">\u0641\u0627\u062a\u0648\u0631\u0629', 'outside'],
  ['<p>&#1601;', 'outside'],
  ['<p>&#x641;', 'outside'],
  ['<p>&#39;', 'none'],
])('%s can lose content: %s', (html, ways) => expect(waysToLoseContent(html)).toBe(ways));

test('Texts that make patterns slow are searched in linear time', () => {
  for (const text of ['calc(', 'overflow:', 'flex-flow:', '<p>calc( -'])
    for (let count = 0; count < 30; count += 1)
      expect(waysToLoseContent(text.repeat(65_000 / text.length))).not.toBe('other');
});
