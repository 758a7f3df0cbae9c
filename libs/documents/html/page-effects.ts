import type { Token } from 'parse5';

const safeMetaNames = new Set([
  'viewport',
  'author',
  'description',
  'generator',
  'keywords',
  'robots',
  'date',
  'application-name',
  'format-detection',
]);
const safePragmas = new Set(['content-type', 'x-ua-compatible']);
const linkColors = new Set(['link', 'vlink', 'alink']);

/** Whether an element could say something to its page that outlasts the document there. */
export const leavesPageState = (tagName: string, attributes: readonly Token.Attribute[]): boolean => {
  if (tagName === 'style' || tagName === 'link') return attributes.some(({ name }) => name === 'title');
  if (tagName === 'body') return attributes.some(({ name }) => linkColors.has(name));
  if (tagName !== 'meta') return false;
  return attributes.some(({ name, value }) => {
    if (name === 'name') return !safeMetaNames.has(value.toLowerCase());
    return name === 'http-equiv' && !safePragmas.has(value.toLowerCase());
  });
};

const animatedElements = new Set([
  'link',
  'marquee',
  'set',
  'animate',
  'animatetransform',
  'animatemotion',
  'progress',
]);

/** Whether an element could bring in style sheets, or move. Without a value the browser moves a progress bar. */
export const elementNeedsStabilising = (tagName: string): boolean => animatedElements.has(tagName.toLowerCase());

/** An `@page` with margin boxes and nothing else, which moves neither the sheet nor its margins. Comments, and braces in strings, are not looked into. */
const marginBoxesOnly =
  /@page[^{}@;"'/\\]*\{(?:\s|@(?:top|right|bottom|left)-[a-z-]+\s*\{(?:[^{}"'/\\@]|"[^"\n{}@]*"|'[^'\n{}@]*')*\})*\}/gi;

const stabilisedCss = /@page|keyframes|starting-style|font-face|@import|\\/i;

/** Whether a style sheet could animate, load fonts or sheets, or set the page size or margins. A backslash can spell any name. */
export const styleSheetNeedsStabilising = (css: string): boolean =>
  stabilisedCss.test(css) && stabilisedCss.test(css.replace(marginBoxesOnly, ''));
