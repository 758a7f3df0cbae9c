import type { DefaultTreeAdapterTypes as Dom } from 'parse5';
import { tokensOf } from '#libs/documents/html/css-tokens.ts';
import { findIgnoredFeatures, type IgnoredFeature, withoutOwnCounters } from '#libs/documents/html/ignored-css.ts';
import { childrenOf, isElement, textContent } from './nodes.ts';

const placeholders = 'The placeholders are {{page}}, {{total}}, {{date}}, {{title}} and {{section}}.';
const noStyleSheet = 'Write the style sheet into a style element.';
const noDocument = 'Other documents are not loaded. Use an img.';

const ignoredElements = new Map<string, string>([
  ['script', `Scripts do not run in it. ${placeholders}`],
  ['iframe', noDocument],
  ['frame', noDocument],
  ['object', noDocument],
  ['embed', noDocument],
]);

/** The classes that Chromium and wkhtmltopdf put numbers into, with the placeholder to write in their place. */
const numberClasses = new Map([
  ['pageNumber', '{{page}}'],
  ['totalPages', '{{total}}'],
  ['topage', '{{total}}'],
]);

const hasImport = (css: string): boolean =>
  tokensOf(css).some(({ type, start, end }) => type === 'at-keyword-token' && /^@import$/i.test(css.slice(start, end)));

const attributeOf = ({ attrs }: Dom.Element, wanted: string): string =>
  attrs.find(({ name }) => name === wanted)?.value ?? '';

const featuresOf = (element: Dom.Element): IgnoredFeature[] => {
  const { tagName } = element;
  const ignored = ignoredElements.get(tagName);
  if (ignored !== undefined) return [{ feature: tagName, reason: ignored }];
  if (tagName === 'link' && /stylesheet/i.test(attributeOf(element, 'rel')))
    return [{ feature: 'link', reason: noStyleSheet }];
  if (tagName === 'style') {
    const css = textContent(element);
    return [...(hasImport(css) ? [{ feature: '@import', reason: noStyleSheet }] : []), ...findIgnoredFeatures(css)];
  }
  const name = attributeOf(element, 'class')
    .split(/\s+/)
    .find((one) => numberClasses.has(one));
  // With a text in it, it may be a name of the caller.
  if (name === undefined || childrenOf(element).some((node) => isElement(node) || /\S/.test(textOf(node)))) return [];
  return [{ feature: `class="${name}"`, reason: `Write ${numberClasses.get(name)} in its place.` }];
};

const textOf = (node: Dom.Node): string => ('value' in node ? node.value : '');

/** What has no effect in a header or footer as the caller wrote it, each once. */
export const ignoredFeaturesOf = (
  kind: 'header' | 'footer',
  source: string,
  document: Dom.Document,
): IgnoredFeature[] => {
  const found: IgnoredFeature[] = [];
  const remaining: Dom.Node[] = [document];
  for (let node = remaining.pop(); node; node = remaining.pop()) {
    if (isElement(node)) found.push(...featuresOf(node));
    for (const child of childrenOf(node)) remaining.push(child);
  }
  const byFeature = new Map(withoutOwnCounters(found, source).map(({ feature, reason }) => [feature, reason]));
  return [...byFeature].map(([feature, reason]) => ({ feature: `${feature} in ${kind}_html`, reason }));
};
