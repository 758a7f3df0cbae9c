import { visitDeclarations } from './css-declarations.ts';
import { mayApplyToPrint } from './page-rule.ts';

/** CSS for printing, or an element, that the browser ignores. `reason` says what to use instead, if anything. */
export type IgnoredFeature = { feature: string; reason: string };

/** Rules, the declarations of a `@page` rule, those of an element or a margin box. */
type Block = 'rules' | 'page' | 'element' | 'margin box';

/**
 * `property` and `value` are in lower case, strings in the value are empty. A text that `isIn` returns is more exact than
 * `feature`. With `hasFallback`, the browser uses another declaration of the property in the same block, if there is one.
 */
type Check = {
  feature: string;
  reason: string;
  blocks?: readonly Block[];
  hasFallback?: true;
  isIn: (property: string, value: string) => boolean | string;
};

const pageCounter = 'counter(page) outside of @page';
const inHeader = 'Use {{section}} or {{title}} in header_html or footer_html.';
const asHeader = 'Its content is printed where it stands. Use header_html or footer_html.';
const pagesOfReferences =
  'The browser cannot print the page of a link target. For a table of contents with page numbers, use mode COMPOSE with ' +
  'contents.';

/** CSS Paged Media 3, 7.1: the names that a browser knows. */
const sizeNames = ['A3', 'A4', 'A5', 'B4', 'B5', 'JIS-B4', 'JIS-B5', 'Letter', 'Legal', 'Ledger'];
const sizeWords = new Set([
  ...sizeNames.map((name) => name.toLowerCase()),
  ...['auto', 'portrait', 'landscape', 'inherit', 'initial', 'unset', 'revert', 'revert-layer'],
]);

/** Whether a browser takes it for a page size: lengths or words, and not both. Functions are not read. */
const isPageSize = (value: string): boolean => {
  const words = value.split(/\s+/);
  return (
    value.includes('(') ||
    (words.length <= 2 && words.every((word) => /^\+?[.\d]/.test(word))) ||
    (words.every((word) => sizeWords.has(word)) && (words.length === 1 || !words.includes('auto')))
  );
};

const isBreak = (property: string): boolean => /^(?:page-)?break-(?:before|after)$/.test(property);

const checks: readonly Check[] = [
  { feature: 'string-set', reason: inHeader, isIn: (property) => property === 'string-set' },
  {
    feature: 'string()',
    reason: inHeader,
    isIn: (property, value) => property === 'content' && /\bstring\(/.test(value),
  },
  {
    feature: 'position: running()',
    reason: asHeader,
    isIn: (property, value) => property === 'position' && value.startsWith('running('),
  },
  {
    feature: 'element()',
    reason: 'Use header_html or footer_html.',
    isIn: (property, value) => property === 'content' && /\belement\(/.test(value),
  },
  {
    feature: 'target-counter()',
    reason: pagesOfReferences,
    isIn: (property, value) => property === 'content' && /\btarget-counters?\(/.test(value),
  },
  {
    feature: 'target-text()',
    reason: 'Write the text of the reference into the document.',
    isIn: (property, value) => property === 'content' && /\btarget-text\(/.test(value),
  },
  {
    feature: 'leader()',
    reason: 'Use an element with a dotted border that fills the line.',
    isIn: (property, value) => property === 'content' && /\bleader\(/.test(value),
  },
  {
    feature: pageCounter,
    reason:
      'It prints 0 instead of the number. Use {{page}} and {{total}} in header_html or footer_html, a margin box of @page such as ' +
      '@bottom-center, or page_numbers.',
    blocks: ['element'],
    isIn: (property, value) => property === 'content' && /\bcounters?\(\s*pages?(?![\w-])/.test(value),
  },
  {
    feature: 'float: footnote',
    reason:
      'The footnote is printed where it stands in the text. Put notes at the end of a section or of the document.',
    isIn: (property, value) => property === 'float' && /^(?:-?prince-)?footnote\b/.test(value),
  },
  {
    feature: 'break-before: right',
    reason:
      'The content begins on the next page, right or left. To begin on a right page, use mode COMPOSE with start_on.',
    isIn: (property, value) =>
      isBreak(property) && /^(?:left|right|recto|verso)$/.test(value) && `${property}: ${value}`,
  },
  {
    feature: 'size',
    reason:
      `The browser only knows ${sizeNames.join(', ')}. Use page_size, or write width and height, such as 105mm 148mm, ` +
      'and set prefer_css_page_size to true.',
    blocks: ['page'],
    hasFallback: true,
    isIn: (property, value) => property === 'size' && value !== '' && !isPageSize(value) && `size: ${value}`,
  },
  {
    feature: 'marks and bleed',
    reason: 'The PDF has no marks for cutting and no bleed, and nothing replaces them.',
    blocks: ['page'],
    isIn: (property, value) => /^(?:marks|bleed)$/.test(property) && !/^(?:none|auto|0\D*)$/.test(value) && property,
  },
  {
    feature: 'bookmark-level',
    reason: 'Use the option outline, which makes bookmarks from the headings.',
    isIn: (property, value) => /^(?:-?[a-z]+-)?bookmark-(?:level|label)$/.test(property) && value !== 'none',
  },
  {
    feature: 'cmyk()',
    reason: 'The browser does not know CMYK colours and ignores the declaration. Write the colour as #rrggbb.',
    hasFallback: true,
    isIn: (_, value) => /(?:^|[\s,(])(?:device-)?cmyk\(/.test(value),
  },
  {
    feature: 'a property that begins with -prince-',
    reason: 'Only the program Prince knows it. Look for an option of the request that does the same.',
    isIn: (property) => /^-?prince-(?!bookmark)/.test(property),
  },
];

/** Most style sheets have none of these words, and need not be read. */
const mayBeIgnored = new RegExp(
  [
    String.raw`string-set|(?:string|running|element|leader|cmyk)\(|target-(?:counter|text)|counters?\(\s*page|footnote`,
    String.raw`@page|bookmark-|prince-|break-(?:before|after)\s*:\s*(?:left|right|recto|verso)`,
  ].join('|'),
  'i',
);

/** Conditions of `@supports` that may be false in the browser. */
const mayNotBeSupported = /\bnot\b|\(\s*-|:\s*-|\w\(/i;

const ofPage = new Set(['size', 'marks', 'bleed']);

const blockIn = (outer: Block, prelude: string): Block | null => {
  const [, name, text = ''] = /^\s*@([\w-]+)(.*)$/s.exec(prelude) ?? [];
  switch (name?.toLowerCase()) {
    case undefined:
      return outer === 'page' || outer === 'margin box' ? null : 'element';
    case 'page':
      return 'page';
    case 'media':
      return mayApplyToPrint(text) ? outer : null;
    case 'supports':
      return mayBeIgnored.test(text) || mayNotBeSupported.test(text) ? null : outer;
    case 'layer':
    case 'container':
    case 'scope':
      return outer;
    default:
      return outer === 'page' ? 'margin box' : null;
  }
};

const ownPageCounter = /counter-(?:reset|increment|set)\s*:[^;}]{0,200}\bpages?(?![\w-])/i;

/** The features without those that the whole document gives a meaning: own counters with the name `page` or `pages`. */
export const withoutOwnCounters = (features: readonly IgnoredFeature[], html: string): IgnoredFeature[] =>
  features.filter(({ feature }) => feature !== pageCounter || !ownPageCounter.test(html));

/** Whether a document mentions a script library that gives such CSS an effect. */
export const mentionsPagedMediaScript = (html: string): boolean => /\bpaged|vivliostyle/i.test(html);

/** More are not reported. */
const maxFeatures = 20;

/**
 * The features that the browser ignores, each once, in a style sheet or in the declarations of an element. What depends
 * on a condition of `@supports` that may be false is not read.
 */
export const findIgnoredFeatures = (css: string, outermost: 'rules' | 'element' = 'rules'): IgnoredFeature[] => {
  if (!mayBeIgnored.test(css)) return [];
  const found: (IgnoredFeature & { fallback: string | null })[] = [];
  const usesCmyk = /cmyk\(/i.test(css);
  /** The declarations with an effect, by block and property. */
  const fallbacks = new Set<string>();
  const keepFallback = (key: string, block: Block): void => void ((usesCmyk || block === 'page') && fallbacks.add(key));
  visitDeclarations<Block>(css, {
    outermost,
    blockIn,
    visit: (block, declaration, blockNumber) => {
      const [, name = '', text = ''] = /^\s*([\w-]+)\s*:([^]*)$/.exec(declaration) ?? [];
      if (block === 'rules' || name === '') return;
      const property = name.toLowerCase();
      const key = `${blockNumber} ${property}`;
      if (!mayBeIgnored.test(declaration) && !(block === 'page' && ofPage.has(property)))
        return keepFallback(key, block);
      const value = text.replace('!important', '').trim().toLowerCase();
      let hasEffect = true;
      for (const { feature, reason, blocks, hasFallback, isIn } of checks) {
        const result = (!blocks || blocks.includes(block)) && isIn(property, value);
        if (result === false) continue;
        hasEffect = false;
        found.push({ feature: result === true ? feature : result, reason, fallback: hasFallback ? key : null });
      }
      if (hasEffect) keepFallback(key, block);
    },
  });
  const reasons = found
    .filter(({ fallback }) => fallback === null || !fallbacks.has(fallback))
    .map(({ feature, reason }) => [feature, reason] as const);
  return [...new Map(reasons)].slice(0, maxFeatures).map(([feature, reason]) => ({ feature, reason }));
};
