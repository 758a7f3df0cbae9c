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

/** Whether an element may change the page for the next document, see `Classification`. */
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

/** Whether an element may load style sheets or be animated. Browsers animate a progress bar without a value. */
export const elementNeedsStabilising = (tagName: string): boolean => animatedElements.has(tagName.toLowerCase());

/**
 * An `@page` rule with nothing but margin boxes, which changes neither the page size nor the margins. Rules with
 * comments, or with braces in strings, do not match.
 */
const marginBoxesOnly =
  /@page[^{}@;"'/\\]*\{(?:\s|@(?:top|right|bottom|left)-[a-z-]+\s*\{(?:[^{}"'/\\@]|"[^"\n{}@]*"|'[^'\n{}@]*')*\})*\}/gi;

const stabilisedCss = /@page|keyframes|starting-style|font-face|@import|\\/i;

/**
 * Whether a style sheet may animate, load fonts or style sheets, or set the page size or margins. A backslash may hide
 * any name.
 */
export const styleSheetNeedsStabilising = (css: string): boolean =>
  stabilisedCss.test(css) && stabilisedCss.test(css.replace(marginBoxesOnly, ''));
