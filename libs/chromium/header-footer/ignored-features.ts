import type { DefaultTreeAdapterTypes as Dom } from 'parse5';
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
    const imports = /@import\b/i.test(css) ? [{ feature: '@import', reason: noStyleSheet }] : [];
    return [...imports, ...withoutOwnCounters(findIgnoredFeatures(css), css)];
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
export const ignoredFeaturesOf = (kind: 'header' | 'footer', document: Dom.Document): IgnoredFeature[] => {
  const found = new Map<string, string>();
  const remaining: Dom.Node[] = [document];
  for (let node = remaining.pop(); node; node = remaining.pop()) {
    if (isElement(node)) for (const { feature, reason } of featuresOf(node)) found.set(feature, reason);
    for (const child of childrenOf(node)) remaining.push(child);
  }
  return [...found].map(([feature, reason]) => ({ feature: `${feature} in ${kind}_html`, reason }));
};
