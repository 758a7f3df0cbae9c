import { toMillimetres } from '#contracts/http/lengths.ts';
import { pageSizeTable, type Size } from '#contracts/http/page-sizes.ts';
import { type MarginSide, marginSides } from '#contracts/http/render-options.ts';
import { visitDeclarations } from './css-declarations.ts';

type PageDeclarations = { size?: Size; landscape?: boolean; margins: Partial<Record<MarginSide, number>> };

/**
 * What the general `@page` rules of a document say, in millimetres. `selected` has the rules for some of the pages by
 * their selectors, such as `:first` and `wide`: the first {@link maxSelectors} of the document.
 */
export type PageRule = PageDeclarations & { selected?: Readonly<Record<string, PageDeclarations>> };

/** Many style elements with rules of their own are read in linear time. */
const maxSelectors = 20;

const namedSizes = new Map(
  Object.entries(pageSizeTable).map(([name, size]) => [name.toLowerCase(), size] as [string, Size]),
);
const millimetresOf = (length: string): number | undefined => {
  const millimetres = length === '0' ? 0 : toMillimetres(length);
  return Number.isNaN(millimetres) ? undefined : millimetres;
};

const applySize = (rule: PageDeclarations, value: string): void => {
  const words = value.toLowerCase().split(/\s+/);
  const [first, second = first] = words.filter((word) => word !== 'landscape' && word !== 'portrait');
  const landscape = words.includes('landscape');
  if (first === undefined) rule.landscape = landscape;
  const [width, height] = [first, second].map((length) => (length === undefined ? undefined : millimetresOf(length)));
  const size = namedSizes.get(first ?? '') ?? (width && height ? { width, height } : undefined);
  if (size) rule.size = landscape ? { width: size.height, height: size.width } : size;
};

/** CSS Box 4, 4.2: the order of one to four margins. */
const applyMargins = (rule: PageDeclarations, value: string): void => {
  const [top, right = top, bottom = top, left = right] = value.split(/\s+/).map(millimetresOf);
  for (const [side, margin] of Object.entries({ top, right, bottom, left }))
    if (margin !== undefined) rule.margins[side as MarginSide] = margin;
};

const declarationPattern = /^\s*(size|margin(?:-(?:top|bottom|left|right))?)\s*:\s*([^!]+)/i;

const applyDeclaration = (rule: PageDeclarations, declaration: string): void => {
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

/**
 * A page name, which is case-sensitive, with at most one pseudo-class, which is not, and no space between them. Undefined
 * for other selectors and lists of them, which the browser ignores. Names with escapes are not read.
 */
const readSelector = (text: string): string | undefined => {
  const [, name, pseudoClass] = /^([^\s:,\\"]*)(|:(?:first|left|right))$/i.exec(text.trim()) ?? [];
  return name === undefined || pseudoClass === undefined ? undefined : name + pseudoClass.toLowerCase();
};

/** Rules that apply to print, or the declarations of an `@page` rule with its selector. */
type Block = 'rules' | `@page${string}`;

const blockIn = (outer: Block, prelude: string): Block | null => {
  const [, name = '', text = ''] = /^\s*@([\w-]+)(.*)$/s.exec(prelude) ?? [];
  if (outer !== 'rules') return null;
  switch (name.toLowerCase()) {
    case 'page': {
      const selector = readSelector(text);
      return selector === undefined ? null : `@page${selector}`;
    }
    case 'media':
      return mayApplyToPrint(text) ? 'rules' : null;
    case 'layer':
    case 'supports':
      return 'rules';
    default:
      return null;
  }
};

const mergeDeclarations = <Rule extends PageDeclarations>(earlier: Rule, later: Rule): Rule => ({
  ...earlier,
  ...later,
  margins: { ...earlier.margins, ...later.margins },
});

const mergeSelected = (earlier: PageRule['selected'] = {}, later: PageRule['selected'] = {}): PageRule['selected'] => {
  const merged = new Map(Object.entries(earlier));
  for (const [selector, rule] of Object.entries(later)) {
    const before = merged.get(selector);
    if (before) merged.set(selector, mergeDeclarations(before, rule));
    else if (merged.size < maxSelectors) merged.set(selector, rule);
  }
  return Object.fromEntries(merged);
};

/** What the style sheets say together: a later one overrides an earlier one. */
export const mergePageRules = (earlier: PageRule | undefined, later: PageRule | undefined): PageRule | undefined => {
  if (!earlier || !later) return later ?? earlier;
  return { ...mergeDeclarations(earlier, later), selected: mergeSelected(earlier.selected, later.selected) };
};

/**
 * What the `@page` rules in a style sheet say; undefined without such a rule. Only lengths in absolute units are read;
 * the viewport of scripts does not need more.
 */
export const readPageRule = (css: string): PageRule | undefined => {
  if (!/@page\b/i.test(css)) return undefined;
  let general: PageDeclarations | undefined;
  const selected = new Map<string, PageDeclarations>();
  visitDeclarations<Block>(css, {
    outermost: 'rules',
    blockIn: (outer, prelude) => {
      const block = blockIn(outer, prelude);
      if (block === '@page') general ??= { margins: {} };
      else if (block?.startsWith('@page') && selected.size < maxSelectors)
        selected.getOrInsertComputed(block.slice('@page'.length), () => ({ margins: {} }));
      return block;
    },
    visit: (block, declaration) => {
      if (!block.startsWith('@page')) return;
      const rule = block === '@page' ? general : selected.get(block.slice('@page'.length));
      if (rule) applyDeclaration(rule, declaration);
    },
  });
  if (!general && selected.size === 0) return undefined;
  return { ...(general ?? { margins: {} }), ...(selected.size > 0 && { selected: Object.fromEntries(selected) }) };
};
