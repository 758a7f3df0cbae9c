import type { Token } from 'parse5';
import { tokensOf } from './css-tokens.ts';

/**
 * How a document can lose content: not at all, `outside` (on the left or at the top), or also in `other` ways. Content
 * that exceeds the page only on the right is found in the PDF.
 */
export type WaysToLoseContent = 'none' | 'outside' | 'other';

/** What the elements of a document say: the values of their style attributes, and which ways other attributes open. */
export type LayoutOfElements = { styles: string[]; outside: boolean; other: boolean };

/** Adds what one element says to `layout`. */
export const addLayoutOfElement = (
  layout: LayoutOfElements,
  tagName: string,
  attrs: readonly Token.Attribute[],
): void => {
  // It scrolls on a screen.
  if (tagName === 'textarea') layout.other = true;
  for (const { name, value } of attrs) {
    if (name === 'style') layout.styles.push(value);
    else if (name === 'align' || (name === 'dir' && value.toLowerCase() !== 'ltr')) layout.outside = true;
    // Its URL can hold the style sheet, in any encoding.
    else if (name === 'rel' && tagName === 'link' && /stylesheet/i.test(value)) layout.other = true;
  }
};

/** Longer documents are not searched, because some style sheets make the patterns slow. */
const maxSearchedCharacters = 65_536;

/** Longer values are not read to their end: a search of many of them would take quadratic time. */
const maxValue = 200;

const outsidePatterns = [
  // Negative lengths. A subtraction can have a negative result.
  String.raw`[:\s(,]-[\d.]+(?:[a-z]|%)`,
  String.raw`calc\([^)]{0,${maxValue}}\s-\s|calc\([^)]{${maxValue}}|\*\s*-`,
  String.raw`\bposition\s*:\s*(?:absolute|sticky)`,
  String.raw`[\s;{}](?:right|bottom|inset[-a-z]*)\s*:`,
  String.raw`[\s;{}](?:-webkit-)?(?:transform|translate|rotate|scale|zoom|offset|writing-mode|direction)\s*:`,
  String.raw`\bfloat\s*:(?!\s*(?:left|none|inline-start))`,
  // Content that is wider than its box can exceed it on both sides.
  String.raw`\bjustify-(?:content|items|self)\s*:(?!\s*(?:flex-start|start|normal|left|stretch|space-between))`,
  String.raw`\bplace-|-reverse\b`,
  String.raw`\bflex-(?:direction|flow)\s*:[^;"'}]{0,${maxValue}}column`,
];
const otherPatterns = [
  // Boxes that scroll on a screen.
  String.raw`\boverflow(?:-x|-y|-inline|-block)?\s*:[^;"'}]{0,${maxValue}}(?:auto|scroll|overlay|var)`,
  String.raw`\bposition\s*:\s*(?:fixed|var)`,
  // A backslash may hide any name.
  String.raw`\\`,
];
const outsidePattern = new RegExp(outsidePatterns.join('|'), 'i');
const otherPattern = new RegExp(otherPatterns.join('|'), 'i');

/** Text from right to left, which need not be declared (`unicode-bidi: plaintext`), and references to its characters. */
const rightToLeft = new RegExp(
  [
    String.raw`[\u0590-\u08ff\u200f\u202b\u202e\u2067\ud802\ud803\ud83a\ud83b\ufb1d-\ufdff\ufe70-\ufefc]`,
    String.raw`&rl[a-z];|&#(?:0*\d{4}|x0*[\da-f]{3})`,
  ].join('|'),
  'i',
);

const withoutComments = (css: string): string =>
  css.includes('/*')
    ? tokensOf(css)
        .map(({ type, start, end }) => (type === 'comment-token' ? ' ' : css.slice(start, end)))
        .join('')
    : css;

/** The ways that style sheets or declarations open. @param texts each is read for itself */
export const cssWaysToLoseContent = (texts: readonly string[]): WaysToLoseContent => {
  if (texts.some((text) => text.length > maxSearchedCharacters)) return 'other';
  const css = texts.map((text) => `;${withoutComments(text)}`).join('');
  if (otherPattern.test(css)) return 'other';
  return outsidePattern.test(css) ? 'outside' : 'none';
};

/** @param ofSheets the ways that the style sheets of the document open */
export const waysToLoseContent = (
  html: string,
  ofSheets: readonly WaysToLoseContent[],
  { styles, outside, other }: LayoutOfElements,
): WaysToLoseContent => {
  if (other || html.length > maxSearchedCharacters) return 'other';
  const ways = new Set([...ofSheets, cssWaysToLoseContent(styles)]);
  if (ways.has('other')) return 'other';
  return outside || ways.has('outside') || rightToLeft.test(html) ? 'outside' : 'none';
};
