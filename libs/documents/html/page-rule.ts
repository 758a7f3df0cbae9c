import { toMillimetres } from '#contracts/http/lengths.ts';
import { pageSizeTable, type Size } from '#contracts/http/page-sizes.ts';
import { type MarginSide, marginSides } from '#contracts/http/render-options.ts';
import { visitDeclarations } from './css-declarations.ts';

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

const declarationPattern = /^\s*(size|margin(?:-(?:top|bottom|left|right))?)\s*:\s*([^!]+)/i;

const applyDeclaration = (rule: PageRule, declaration: string): void => {
  const [, name = '', text = ''] = declarationPattern.exec(declaration) ?? [];
  const [property, value] = [name.toLowerCase(), text.trim()];
  const side = marginSides.find((one) => property === `margin-${one}`);
  const margin = millimetresOf(value);
  if (property === 'size') applySize(rule, value);
  else if (property === 'margin') applyMargins(rule, value);
  else if (side && margin !== undefined) rule.margins[side] = margin;
};

/** Whether media queries may be true for print. What they say about the size of the page is not read. */
export const mayApplyToPrint = (queries: string): boolean =>
  queries.split(',').some((query) => {
    const [, not, type] = /^\s*(?:(not)\s+|only\s+)?([a-z-]+)?/i.exec(query) ?? [];
    return type === undefined || /^(?:all|print)$/i.test(type) === (not === undefined);
  });

/** Rules that apply to print, or the declarations of a general `@page` rule. */
type Block = 'rules' | 'page';

const blockIn = (outer: Block, prelude: string): Block | null => {
  const [, name = '', text = ''] = /^\s*@([\w-]+)(.*)$/s.exec(prelude) ?? [];
  if (outer !== 'rules') return null;
  switch (name.toLowerCase()) {
    case 'page':
      return text.trim() === '' ? 'page' : null;
    case 'media':
      return mayApplyToPrint(text) ? 'rules' : null;
    case 'layer':
    case 'supports':
      return 'rules';
    default:
      return null;
  }
};

/** What the style sheets say together: a later one overrides an earlier one. */
export const mergePageRules = (earlier: PageRule | undefined, later: PageRule | undefined): PageRule | undefined =>
  earlier && later ? { ...earlier, ...later, margins: { ...earlier.margins, ...later.margins } } : (later ?? earlier);

/**
 * What the `@page` rules without selector in a style sheet say; undefined without such a rule. Only lengths in absolute
 * units are read; the viewport of scripts does not need more.
 */
export const readPageRule = (css: string): PageRule | undefined => {
  if (!/@page\b/i.test(css)) return undefined;
  const result: PageRule = { margins: {} };
  let isFound = false;
  visitDeclarations<Block>(css, {
    outermost: 'rules',
    blockIn: (outer, prelude) => {
      const block = blockIn(outer, prelude);
      isFound ||= block === 'page';
      return block;
    },
    visit: (block, declaration) => {
      if (block === 'page') applyDeclaration(result, declaration);
    },
  });
  return isFound ? result : undefined;
};
