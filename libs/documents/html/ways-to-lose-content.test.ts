import { expect, test } from 'vitest';
import { classify } from './classify.ts';

const waysOf = (html: string) => classify(html).classification.waysToLoseContent;

test.each([
  ['p { margin-left: calc(100% - 2cm) }', 'outside'],
  [`p { width: calc(${'1px + '.repeat(100)}1px) }`, 'outside'],
  ['p { flex-flow: wrap column }', 'outside'],
  ['p { overflow: hidden auto }', 'other'],
  ['p { position/**/:fixed }', 'other'],
  ['p { content: "/*"; position/* " */:/**/fixed }', 'other'],
  ['p { background: url(#/*); position/**/:fixed }', 'other'],
  ['p { p\\6fsition: fixed }', 'other'],
  ['p { b { color: red }right: 0 }', 'outside'],
  ['/* position: fixed; margin-left: -1px */', 'none'],
  ['p { width: calc(1px + 2px); overflow: hidden }', 'none'],
])('%s can lose content: %s', (css, ways) => {
  expect(waysOf(`<style>${css}</style>`)).toBe(ways);
  expect(waysOf(`<svg><style>${css}</style></svg>`)).toBe(ways);
});

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
  ['<p align=right>Text', 'outside'],
  ['<textarea>Text</textarea>', 'other'],
  ['<p style="right:0">Text', 'outside'],
  ['<p style="position&colon;fixed">Text', 'other'],
  ['<p style="&#112;osition:fixed">Text', 'other'],
  ['<link rel=stylesheet href="data:text/css;base64,cHtwb3NpdGlvbjpmaXhlZH0=">', 'other'],
  ['<p onclick="x()">Text', 'other'],
  ['<img src="https://h/a.png">', 'other'],
  // Only text.
  ['<p title="position: fixed">mind position: fixed costs, and dir=rtl, of -5% in C:\\<!-- <textarea> -->', 'none'],
])('%s can lose content: %s', (html, ways) => expect(waysOf(html)).toBe(ways));

test('Texts that make patterns slow are searched in linear time', () => {
  for (const text of ['calc(', 'overflow:', 'flex-flow:', 'p calc( -'])
    for (let count = 0; count < 30; count += 1)
      expect(waysOf(`<style>${text.repeat(65_000 / text.length)}</style>`)).not.toBe('other');
});
