import { pageSizeTable, type Size } from '#contracts/http/page-sizes.ts';
import type { CssPage, RenderOptions } from '#contracts/http/render-options.ts';
import type { Session } from '../cdp/connection.ts';
import { evaluate } from './evaluate.ts';
import { geometryOf, geometryOfOptions, type PageGeometry, sheetSize, toCssPixels } from '../pdf/page-geometry.ts';

const sides = ['top', 'bottom', 'left', 'right'] as const;
type Side = (typeof sides)[number];

/** An `@page` rule: its lengths as written, and in CSS pixels. */
type PageRule = {
  selector: string;
  layers: string[];
  size: { width: number; height: number } | null;
  margins: Partial<Record<Side, { value: string; important: boolean; pixels: number }>>;
};
type PageRules = { rules: PageRule[]; unreadable: string[] };

/**
 * Runs in the page: its `@page` rules in the order of the document, and the URLs of the style sheets of other
 * origins, whose rules a page may not read. `texts` holds the texts of such style sheets.
 */
const readRules = String.raw`(({ sheet, names, texts }) => {
  const attempt = (act) => { try { return act(); } catch {} };
  const found = [];
  const unreadable = [];
  const applies = (media) => !media || !media.mediaText || matchMedia(media.mediaText).matches;
  const visit = (list, layers) => {
    for (const rule of list) {
      if (rule instanceof CSSPageRule) found.push({ rule, layers });
      else if (rule instanceof CSSImportRule) { if (applies(rule.media)) visitSheet(rule.styleSheet, layers); }
      else if (rule instanceof CSSMediaRule) { if (applies(rule.media)) visit(rule.cssRules, layers); }
      else if (rule instanceof CSSSupportsRule) { if (CSS.supports(rule.conditionText)) visit(rule.cssRules, layers); }
      else if (rule instanceof CSSLayerBlockRule) visit(rule.cssRules, [...layers, rule.name]);
    }
  };
  const rulesOf = (sheet) => {
    try { return sheet.cssRules; } catch {}
    if (!Object.hasOwn(texts, sheet.href)) { unreadable.push(String(sheet.href)); return []; }
    const copy = new CSSStyleSheet();
    copy.replaceSync(texts[sheet.href]);
    return copy.cssRules;
  };
  const visitSheet = (sheet, layers) => {
    if (!sheet || sheet.disabled || sheet.ownerNode?.dataset?.colophon !== undefined) return;
    if (applies(sheet.media)) visit(rulesOf(sheet), layers);
  };
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) visitSheet(sheet, []);
  const box = document.createElement('colophon-length');
  const probe = document.createElement('colophon-length');
  box.append(probe);
  document.documentElement.append(box);
  const block = (property, value) => 'all:initial!important;display:block!important;' + property + ':' + value + '!important';
  // A margin can be negative: the text then begins outside the sheet, but header and footer stay on it.
  const pixelsOf = (value, whole) => {
    box.setAttribute('style', block('width', whole + 'px') + ';position:absolute!important;visibility:hidden!important');
    probe.setAttribute('style', block('margin-left', value));
    return Math.max(0, Number.parseFloat(getComputedStyle(probe).marginLeft) || 0);
  };
  const sizeOf = (text) => {
    const words = text.split(/\s+(?![^(]*\))/);
    const landscape = words.includes('landscape');
    const [first, second = first] = words.filter((word) => word !== 'landscape' && word !== 'portrait');
    if (first === 'auto' || text === '') return null;
    const [width, height] = first === undefined ? [sheet.width, sheet.height].sort((a, b) => a - b)
      : Object.hasOwn(names, first) ? names[first] : [pixelsOf(first, 0), pixelsOf(second, 0)];
    return landscape ? { width: height, height: width } : { width, height };
  };
  let page = sheet;
  const rules = found.map(({ rule: { style, selectorText }, layers }) => {
    const size = attempt(() => sizeOf(style.getPropertyValue('size').toLowerCase())) ?? null;
    if (size && selectorText === '') page = size;
    const margins = {};
    for (const side of ['top', 'bottom', 'left', 'right']) {
      const value = style.getPropertyValue('margin-' + side);
      if (value === '') continue;
      const { width, height } = size ?? page;
      const pixels = pixelsOf(value, side === 'top' || side === 'bottom' ? height : width);
      margins[side] = { value, important: style.getPropertyPriority('margin-' + side) !== '', pixels };
    }
    return { selector: selectorText, layers, size, margins };
  });
  box.remove();
  return { rules, unreadable };
})`;

const pixelSizes = Object.fromEntries(
  Object.entries(pageSizeTable).map(([name, { width, height }]) => [
    name.toLowerCase(),
    [toCssPixels(width), toCssPixels(height)],
  ]),
);
const toMillimetres = (pixels: number) => (pixels / 96) * 25.4;

const evaluateRules = async (session: Session, sheet: Size, texts: Record<string, string>): Promise<PageRules> => {
  const input = {
    sheet: { width: toCssPixels(sheet.width), height: toCssPixels(sheet.height) },
    names: pixelSizes,
    texts,
  };
  const expression = `${readRules}(${JSON.stringify(input)})`;
  return (await evaluate(session, expression)) as PageRules;
};

/** The texts of style sheets with `@page` rules by their URLs. */
const readStyleSheets = async (session: Session, urls: ReadonlySet<string>): Promise<Record<string, string>> => {
  const ids = new Map<string, string>();
  const off = session.on('CSS.styleSheetAdded', ({ header: { sourceURL, styleSheetId } }) => {
    if (urls.has(sourceURL)) ids.set(sourceURL, styleSheetId);
  });
  try {
    await session.send('DOM.enable');
    await session.send('CSS.enable');
    const texts = await Promise.all(
      [...ids].map(async ([url, styleSheetId]) => {
        const { text } = await session.send('CSS.getStyleSheetText', { styleSheetId });
        return [url, /@page/i.test(text) ? text : ''] as const;
      }),
    );
    return Object.fromEntries(texts);
  } finally {
    off();
  }
};

const readPageRules = async (session: Session, sheet: Size): Promise<PageRule[]> => {
  const { rules, unreadable } = await evaluateRules(session, sheet, {});
  if (unreadable.length === 0) return rules;
  const texts = await readStyleSheets(session, new Set(unreadable));
  return (await evaluateRules(session, sheet, texts)).rules;
};

const combine = (options: RenderOptions, cssPage: CssPage, rules: readonly PageRule[]): PageGeometry => {
  const { sheet: ownSheet, margins } = geometryOfOptions(options);
  const sizes = cssPage.size ? rules.map(({ selector, size }) => ({ selector, size })) : [];
  const sheetOf = ({ width, height }: Size): Size => ({ width: toMillimetres(width), height: toMillimetres(height) });
  const base = sizes.findLast(({ selector, size }) => selector === '' && size)?.size;
  const sheet = base ? sheetOf(base) : ownSheet;
  const marginsOf = (side: Side, selected: readonly PageRule[]): number[] =>
    cssPage.margins.includes(side)
      ? selected.flatMap((rule) => (rule.margins[side] ? [toMillimetres(rule.margins[side].pixels)] : []))
      : [];
  const general = rules.filter(({ selector }) => selector === '');
  const baseMargin = (side: Side): number => marginsOf(side, general).at(-1) ?? margins[side];
  const baseMargins = {
    top: baseMargin('top'),
    bottom: baseMargin('bottom'),
    left: baseMargin('left'),
    right: baseMargin('right'),
  };
  const narrowest = Math.min(sheet.width, ...sizes.flatMap(({ size }) => (size ? [sheetOf(size).width] : [])));
  const lowest = (side: Side): number => Math.min(baseMargins[side], ...marginsOf(side, rules));
  return geometryOf(sheet, baseMargins, {
    narrowestText: narrowest - baseMargins.left - baseMargins.right,
    lowest: { top: lowest('top'), bottom: lowest('bottom') },
  });
};

/** The pages of a document, and how to make the margins of its `@page` rules higher. */
export type DocumentPages = {
  geometry: PageGeometry;
  /** Makes every margin at the top and bottom at least as high, in millimetres. */
  growMargins(heights: { top: number; bottom: number }): Promise<void>;
};

// Last in the document. Not in `adoptedStyleSheets`, which a reused page keeps for its next document.
const addStyleSheet = `((css) => {
  const style = document.createElementNS('http://www.w3.org/1999/xhtml', 'style');
  style.dataset.colophon = '';
  style.textContent = css;
  document.documentElement.append(style);
})`;

/** The same rules again, in their order and after them, each with a higher margin. */
const higherMargins = (rules: readonly PageRule[], side: 'top' | 'bottom', height: number): string =>
  rules
    .flatMap(({ selector, layers, margins: { [side]: margin } }) => {
      if (!margin) return [];
      const value = margin.value === 'auto' ? '0px' : margin.value;
      const rule = `@page ${selector}{margin-${side}:max(${value},${height}mm)${margin.important ? '!important' : ''}}`;
      return [layers.reduceRight((inside, layer) => `@layer ${layer}{${inside}}`, rule)];
    })
    .join('');

/** The pages of a loaded document. Its `@page` rules are only read if they are used. */
export const readDocumentPages = async (session: Session, options: RenderOptions): Promise<DocumentPages> => {
  const { css_page: cssPage } = options;
  if (!cssPage) return { geometry: geometryOfOptions(options), growMargins: async () => {} };
  const rules = await readPageRules(session, sheetSize(options));
  return {
    geometry: combine(options, cssPage, rules),
    growMargins: async (heights) => {
      const css = (['top', 'bottom'] as const)
        .filter((side) => cssPage.margins.includes(side) && heights[side] > 0)
        .map((side) => higherMargins(rules, side, heights[side]))
        .join('');
      if (css !== '') await evaluate(session, `${addStyleSheet}(${JSON.stringify(css)})`);
    },
  };
};
