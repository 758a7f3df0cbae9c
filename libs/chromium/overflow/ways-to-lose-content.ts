/** Longer documents are not searched, because the search runs on the event loop. */
const maxSearchedCharacters = 65_536;

/** Longer values are not read to their end: a search of many of them would take quadratic time. */
const maxValue = 200;

const outsidePatterns = [
  // Negative lengths. A subtraction can have a negative result.
  String.raw`[:\s(,]-[\d.]+(?:[a-z]|%)`,
  String.raw`calc\([^)]{0,${maxValue}}\s-\s|calc\([^)]{${maxValue}}|\*\s*-`,
  String.raw`\bposition\s*:\s*(?:absolute|sticky)`,
  String.raw`[\s;{"'](?:right|bottom|inset[-a-z]*)\s*:`,
  String.raw`[\s;{"'](?:-webkit-)?(?:transform|translate|rotate|scale|zoom|offset|writing-mode|direction)\s*:`,
  String.raw`\bfloat\s*:(?!\s*(?:left|none|inline-start))`,
  // Content that is wider than its box can exceed it on both sides.
  String.raw`\bjustify-(?:content|items|self)\s*:(?!\s*(?:flex-start|start|normal|left|stretch|space-between))`,
  String.raw`\bplace-|-reverse\b|\balign\s*=`,
  // An attribute, not a selector such as `[dir=rtl]`.
  String.raw`[\s"'/]dir\s*=(?!\s*(?:ltr|"ltr"|'ltr')[\s/>])`,
  // Text from right to left, which need not be declared (`unicode-bidi: plaintext`), and references to such characters.
  String.raw`[\u0590-\u08ff\u200f\u202b\u202e\u2067\ud802\ud803\ud83a\ud83b\ufb1d-\ufdff\ufe70-\ufefc]`,
  String.raw`&rl[a-z];|&#(?:0*\d{4}|x0*[\da-f]{3})`,
  String.raw`\bflex-(?:direction|flow)\s*:[^;"'}]{0,${maxValue}}column`,
];
const otherPatterns = [
  // Boxes that scroll on a screen.
  String.raw`\boverflow(?:-x|-y|-inline|-block)?\s*:[^;"'}]{0,${maxValue}}(?:auto|scroll|overlay|var)|<textarea`,
  String.raw`\bposition\s*:\s*(?:fixed|var)`,
  // A backslash may hide any name.
  String.raw`\\`,
];
const outsidePattern = new RegExp(outsidePatterns.join('|'), 'i');
const otherPattern = new RegExp(otherPatterns.join('|'), 'i');

/**
 * In which ways a static document without external style sheets can lose content: not at all, `outside` (on the left or
 * at the top), or also in `other` ways. Content that exceeds the page only on the right is found in the PDF.
 */
export const waysToLoseContent = (html: string): 'none' | 'outside' | 'other' => {
  if (html.length > maxSearchedCharacters || otherPattern.test(html)) return 'other';
  return outsidePattern.test(html) ? 'outside' : 'none';
};
