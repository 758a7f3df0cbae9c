import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertMarkdown } from '../markdown/convert.ts';
import { directionOfHtml, directionOfText } from './direction.ts';

describe('The direction of a text', () => {
  it.each([
    ['1,5 % – Summe', 'ltr'],
    ['12 שלום and more', 'rtl'],
    ['(١٢) مرحبا', 'rtl'],
    ['\u{1e900}', 'rtl'],
    ['中文', 'ltr'],
    ['١٢ 34 +', null],
    ['', null],
  ])('%j is that of its first letter: %s', (text, direction) => expect(directionOfText(text)).toBe(direction));
});

describe('The direction of HTML', () => {
  it.each([
    ['<p class="b">12</p>\n<p>שלום', 'rtl'],
    ['<td>5 &amp; &#x5d0;</td><td>b', 'rtl'],
    ['<!-- text --><STYLE>p { color: red }</style><script>var a</script>مرحبا', 'rtl'],
    ['<p title="a > b">שלום', 'rtl'],
    ['<p>1 < 2 <b>a', 'ltr'],
    ['<ul dir="rtl"><li>א<ul dir="rtl"><li>ב</ul>ג</ul><p>English', 'ltr'],
    ['<br dir="rtl"><p>English', 'ltr'],
    ['<ul dir="rtl"><li>12 א</ul><p>34', 'rtl'],
    ['<style>a', null],
    ['<p>12', null],
  ])('%j is that of the first letter outside of elements with their own: %s', (html, direction) =>
    expect(directionOfHtml(html)).toBe(direction),
  );

  it('is that of its text, whatever its tags are, and how long it is', () => {
    const tag = fc.constantFrom(
      '<p>',
      '</p>',
      '<b title="א">',
      '<br>',
      '<i class="b">',
      `<u class="${'b'.repeat(2_000)}">`,
    );
    const piece = fc.oneof(tag, fc.constantFrom('a', 'א', '1 ', ' '));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.filter((part) => !part.startsWith('<')).join('');
        expect(directionOfHtml(pieces.join(''))).toBe(directionOfText(text));
      }),
    );
  });

  it('is found in time for a megabyte of tags that are not closed', () => {
    expect(directionOfHtml('<'.repeat(1_000_000))).toBeNull();
    expect(directionOfHtml('<p dir="'.repeat(150_000))).toBeNull();
    expect(directionOfHtml('<p dir="rtl">'.repeat(100_000))).toBeNull();
  });
});

describe('Markdown', () => {
  const directionsOf = (markdown: string): string[] =>
    [...convertMarkdown(markdown, null).html.matchAll(/<(main|ul|ol|blockquote|table)\b[^>]*dir="(\w+)"/g)].map(
      ([, name, direction]) => `${name} ${direction}`,
    );
  it.each([
    ['Text\n\n- שלום\n- a', ['main ltr', 'ul rtl']],
    ['שלום\n\n> Text\n\n| 1 | א |\n|---|---|\n| 2 | b |', ['main rtl', 'blockquote ltr', 'table rtl']],
    ['1. 12\n2. 13\n\nא', ['main rtl', 'ol ltr']],
    ['- 1\n  - **2 ב**\n- a', ['main rtl', 'ul ltr', 'ul rtl']],
    ['- 1\n  - ב\n- 2', ['main rtl', 'ul rtl', 'ul rtl']],
    ['> שלום\n\n# English', ['main ltr', 'blockquote rtl']],
    ['- $x$ שלום', ['main ltr', 'ul ltr']],
    ['- ![picture](https://a.example/b.png) שלום', ['main rtl', 'ul rtl']],
    ['- `קוד`', ['main rtl', 'ul rtl']],
    ['- 1\n\n  <div lang="he">א</div>\n', ['main rtl', 'ul rtl']],
  ])('names the direction of the document, and of each list, quotation and table: %j', (markdown, expected) =>
    expect(directionsOf(markdown)).toEqual(expected),
  );
});
