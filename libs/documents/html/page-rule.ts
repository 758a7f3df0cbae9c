import { toMillimetres } from '#contracts/http/lengths.ts';
import { pageSizeTable, type Size } from '#contracts/http/page-sizes.ts';
import { type MarginSide, marginSides } from '#contracts/http/render-options.ts';

/** What the general `@page` rules of a document say, in millimetres. */
export type PageRule = { size?: Size; landscape?: boolean; margins: Partial<Record<MarginSide, number>> };

const namedSizes = new Map(
  Object.entries(pageSizeTable).map(([name, size]) => [name.toLowerCase(), size] as [string, Size]),
);
const millimetresOf = (length: string): number | undefined => {
  const millimetres = length === '0' ? 0 : toMillimetres(length);
  return Number.isNaN(millimetres) ? undefined : millimetres;
};

const applySize = (rule: PageRule, value: string): void => {
  const words = value.toLowerCase().split(/\s+/);
  const [first, second = first] = words.filter((word) => word !== 'landscape' && word !== 'portrait');
  const landscape = words.includes('landscape');
  if (first === undefined) rule.landscape = landscape;
  const [width, height] = [first, second].map((length) => (length === undefined ? undefined : millimetresOf(length)));
  const size = namedSizes.get(first ?? '') ?? (width && height ? { width, height } : undefined);
  if (size) rule.size = landscape ? { width: size.height, height: size.width } : size;
};

/** CSS Box 4, 4.2: the order of one to four margins. */
const applyMargins = (rule: PageRule, value: string): void => {
  const [top, right = top, bottom = top, left = right] = value.split(/\s+/).map(millimetresOf);
  for (const [side, margin] of Object.entries({ top, right, bottom, left }))
    if (margin !== undefined) rule.margins[side as MarginSide] = margin;
};

const declarationPattern = /(?:^|;)\s*(size|margin(?:-(?:top|bottom|left|right))?)\s*:\s*([^;!]+)/gi;

const applyDeclarations = (rule: PageRule, declarations: string): void => {
  for (const [, name = '', text = ''] of declarations.matchAll(declarationPattern)) {
    const [property, value] = [name.toLowerCase(), text.trim()];
    const side = marginSides.find((one) => property === `margin-${one}`);
    const margin = millimetresOf(value);
    if (property === 'size') applySize(rule, value);
    else if (property === 'margin') applyMargins(rule, value);
    else if (side && margin !== undefined) rule.margins[side] = margin;
  }
};

/** More rules, and more of a rule, are not read, because blocks without end would take long. */
const [maxRules, maxRuleCharacters] = [20, 4000];

/** Declarations without the at-rule that begins after the last of them, up to its block. */
const withoutAtRule = (css: string): string => {
  const atRule = css.indexOf('@', css.lastIndexOf(';') + 1);
  return atRule === -1 ? css : css.slice(0, atRule);
};

/** The text without comments. One that is never closed ends the style sheet (CSS Syntax 3, 4.3.2). */
const withoutComments = (css: string): string => {
  let text = '';
  for (let from = 0; ;) {
    const start = css.indexOf('/*', from);
    if (start === -1) return text + css.slice(from);
    text += `${css.slice(from, start)} `;
    const end = css.indexOf('*/', start + 2);
    if (end === -1) return text;
    from = end + 2;
  }
};

/** The text of a block without the blocks in it. `css` begins after its opening brace. */
const ownDeclarations = (css: string): string => {
  const braces = /[{}]/g;
  let [own, from, depth] = ['', 0, 1];
  for (let brace = braces.exec(css); brace; brace = braces.exec(css)) {
    if (depth === 1) own += withoutAtRule(css.slice(from, brace.index)) + ';';
    depth += brace[0] === '{' ? 1 : -1;
    if (depth === 0) return own;
    from = brace.index + 1;
  }
  return own;
};

/**
 * Adds what the `@page` rules without selector in a style sheet say to `rule`. Only lengths in absolute units are read;
 * the viewport of scripts does not need more.
 */
export const readPageRule = (css: string, rule: PageRule | undefined): PageRule | undefined => {
  if (!/@page\b/i.test(css)) return rule;
  const text = withoutComments(css);
  let result = rule;
  for (const { index, 0: opening } of text.matchAll(/@page\s*\{/gi).take(maxRules)) {
    result ??= { margins: {} };
    const start = index + opening.length;
    applyDeclarations(result, ownDeclarations(text.slice(start, start + maxRuleCharacters)));
  }
  return result;
};
