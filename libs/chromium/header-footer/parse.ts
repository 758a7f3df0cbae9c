import { generate, parse as parseCss, walk, type CssNode, type List } from 'css-tree/dist/csstree.esm';
import {
  defaultTreeAdapter as tree,
  html,
  parse,
  serialize,
  serializeOuter,
  type DefaultTreeAdapterTypes as Dom,
} from 'parse5';
import { ApiError } from '#contracts/http/api-error.ts';
import { findPlaceholderProblem } from '#contracts/http/placeholders.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { IgnoredFeature } from '#libs/documents/html/ignored-css.ts';
import { locateUnfinishedInput } from '#libs/documents/html/unfinished-input.ts';
import { externalImages, requireNoOtherImages, withoutExternalCandidates } from './external-images.ts';
import { ignoredFeaturesOf } from './ignored-features.ts';
import { elementsForMarks, type MarkedName, markPlaceholders, marksIn } from './marks.ts';
import { childrenOf, isElement, textContent } from './nodes.ts';

// Class names and ids of the browser's own template: it writes into some and lays out others.
const reservedNames = new Set([
  'date',
  'title',
  'url',
  'pageNumber',
  'totalPages',
  'left',
  'center',
  'right',
  'grow',
  'text',
  'header',
  'footer',
  'content',
]);

/** Renames a class or id that would clash with the browser's template. */
const unreservedName = (name: string): string => (reservedNames.has(name) ? `own-${name}` : name);

const unscopedAtRules = new Set([
  'font-face',
  'keyframes',
  '-webkit-keyframes',
  'property',
  'counter-style',
  'namespace',
  'layer',
]);
const droppedAtRules = new Set(['import', 'charset', 'page']);

/** Limits a style sheet to the elements below `scope` (a selector). `html` and `body` select the scope itself. */
const scopeStyles = (css: string, scope: string): string => {
  const sheet = parseCss(css);
  walk(sheet, (node: CssNode, item, list: List<CssNode>) => {
    if (node.type === 'ClassSelector' || node.type === 'IdSelector') node.name = unreservedName(node.name);
    if (node.type === 'TypeSelector' && /^(?:html|body)$/i.test(node.name))
      list.replace(item, list.createItem({ type: 'PseudoClassSelector', name: 'scope', children: null }));
  });
  const rules = sheet.type === 'StyleSheet' ? sheet.children.toArray() : [];
  const hasName = (names: Set<string>) => (rule: CssNode) =>
    rule.type === 'Atrule' && names.has(rule.name.toLowerCase());
  const unscoped = rules.filter(hasName(unscopedAtRules));
  const scoped = rules.filter((rule) => !hasName(unscopedAtRules)(rule) && !hasName(droppedAtRules)(rule));
  const textOf = (some: CssNode[]) => some.map((rule) => generate(rule)).join('');
  const text = `${textOf(unscoped)}@scope(${scope}){${textOf(scoped)}}`;
  // Escapes `<`, which could end the style element or begin another element.
  return text.replace(/<(?=[a-z!/?])/gi, String.raw`\3c `);
};

export type HeaderFooterKind = 'header' | 'footer';

const forbiddenElements = new Set([
  'script',
  'noscript',
  'iframe',
  'frame',
  'frameset',
  'object',
  'embed',
  'applet',
  'link',
  'meta',
  'base',
  'title',
  'template',
  'animate',
  'animatetransform',
  'animatemotion',
  'set',
  'portal',
  'noembed',
  'noframes',
]);
/** Their text is not parsed, so that no element for a placeholder and no end of another element can follow in it. */
const unparsedTextElements = new Set(['xmp', 'plaintext']);

/** A name would hide a member of the document or of a form, also from the script of the browser's template. */
const isAllowedAttribute = ({ name, value }: { name: string; value: string }) =>
  !/^on/i.test(name) && name !== 'srcdoc' && name !== 'name' && !/^[\s\x00-\x1f]*(?:javascript|vbscript):/i.test(value);

/**
 * The attributes to keep. Names that the browser's template uses are renamed, or it would take the element for its own.
 */
const allowedAttributes = (element: Dom.Element) =>
  withoutExternalCandidates(element)
    .filter(isAllowedAttribute)
    .map((attribute) => {
      if (attribute.name === 'id') return { ...attribute, value: unreservedName(attribute.value) };
      if (attribute.name === 'class')
        return { ...attribute, value: attribute.value.split(/\s+/).map(unreservedName).join(' ') };
      return attribute;
    });

const sanitise = (nodes: Dom.ChildNode[], kind: HeaderFooterKind, namespace = html.NS.HTML): Dom.ChildNode[] =>
  nodes.flatMap((node): Dom.ChildNode[] => {
    if (node.nodeName === '#text') return elementsForMarks((node as Dom.TextNode).value, namespace);
    if (!isElement(node) || forbiddenElements.has(node.tagName.toLowerCase())) return [];
    if (unparsedTextElements.has(node.tagName)) node.nodeName = node.tagName = 'pre';
    const [mark] = node.tagName === 'textarea' ? marksIn(textContent(node)) : [];
    if (mark) throw invalidOption(kind, `has {{${mark}}} in a textarea, where only {{date}} may be.`);
    node.attrs = allowedAttributes(node);
    const inside = node.tagName === 'foreignObject' ? html.NS.HTML : node.namespaceURI;
    if (node.tagName !== 'style') node.childNodes = sanitise(node.childNodes, kind, inside);
    // A style element inside an SVG would be parsed by other rules than it is written by.
    else if (node.namespaceURI === html.NS.HTML) {
      // Of style sheets with titles, a browser applies only those with the first title.
      node.attrs = node.attrs.filter(({ name }) => name !== 'title');
      setText(node, scopeStyles(textContent(node), `.colophon-${kind}`));
    } else return [];
    return [node];
  });

/** Sets text on its element, because the text of a style element must be written without entities. */
const setText = (node: Dom.Element, text: string) => {
  node.childNodes = [];
  tree.insertText(node, text);
};

const childElement = (node: Dom.Node, name: string): Dom.Element | undefined =>
  childrenOf(node)
    .filter(isElement)
    .find(({ tagName }) => tagName === name);
export const escapeAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const serializeAttributes = (attrs: { name: string; value: string }[]) =>
  attrs.map(({ name, value }) => ` ${name}="${escapeAttribute(value)}"`).join('');

/**
 * A sanitised header or footer: no scripts, no elements that load other documents; styles limited to it; the attributes
 * of its body on a block around its content.
 */
export type HeaderFooterContent = {
  kind: HeaderFooterKind;
  html: string;
  images: string[];
  /** The placeholders in it. */
  placeholders: MarkedName[];
  /** Whether the browser cannot fill in its placeholders: a section, or a page number in an attribute. */
  differsByPage: boolean;
  /** What has no effect in it. */
  ignored: IgnoredFeature[];
};

const urlAttributes = /^(?:src|srcset|href|xlink:href|action|formaction|poster|background|cite|ping)$/i;

/** The placeholders in attributes. @throws ApiError if a URL has one */
const marksInAttributes = (nodes: Dom.ChildNode[], kind: HeaderFooterKind): MarkedName[] =>
  nodes.filter(isElement).flatMap(({ attrs, childNodes }) => [
    ...attrs.flatMap(({ name, value }) => {
      const marks = marksIn(value);
      if (marks[0] && urlAttributes.test(name))
        throw invalidOption(kind, `has {{${marks[0]}}} in the attribute ${name}, where only {{date}} may be.`);
      return marks;
    }),
    ...marksInAttributes(childNodes, kind),
  ]);

const invalidOption = (kind: HeaderFooterKind, reason: string): ApiError =>
  ApiError.of('conversion_failed', `${kind}_html ${reason}`, { details: { field: `${kind}_html` } });

/** `date` is the text for `{{date}}`. @throws ApiError conversion_failed, image_load_failed */
export const sanitiseHeaderFooter = (kind: HeaderFooterKind, source: string, date: string): HeaderFooterContent => {
  const marked = markPlaceholders(source, date);
  const document = parse(marked);
  const ignored = ignoredFeaturesOf(kind, source, document);
  const root = childElement(document, 'html');
  const [head, body] = [root && childElement(root, 'head'), root && childElement(root, 'body')];
  const styles = sanitise(
    childrenOf(head ?? tree.createDocumentFragment()).filter((node) => node.nodeName === 'style'),
    kind,
  );
  const content = sanitise(childrenOf(body ?? tree.createDocumentFragment()), kind);
  const attributes = body ? serializeAttributes(allowedAttributes(body)) : '';
  const onBody = body ? body.attrs.flatMap(({ value }) => marksIn(value)) : [];
  const inAttributes = [...onBody, ...marksInAttributes(content, kind)];
  if (body) requireNoOtherImages(body, `${kind}_html`);
  const images = [...new Set(externalImages([...styles, ...content], `${kind}_html`))];
  const fragment = tree.createDocumentFragment();
  for (const node of content) tree.appendChild(fragment, node);
  const placeholders = [...new Set(marksIn(marked))];
  return {
    kind,
    placeholders,
    differsByPage: placeholders.includes('section') || inAttributes.some((name) => name !== 'title'),
    html: `${styles.map((style) => serializeOuter(style)).join('')}<div${attributes}>${serialize(fragment)}</div>`,
    images,
    ignored,
  };
};

/** null: no header or footer. Dates are in the time zone, else in UTC. */
export type HeaderFooterSources = Pick<RenderOptions, 'header_html' | 'footer_html' | 'time_zone'>;

const maxSourceLength = 2 ** 20;

const parseOption = (kind: HeaderFooterKind, source: string | null, date: string): HeaderFooterContent[] => {
  if (source === null || source.trim() === '') return [];
  if (source.length > maxSourceLength) throw invalidOption(kind, 'is larger than 1 MB.');
  const problem = findPlaceholderProblem(source);
  if (problem)
    throw invalidOption(
      kind,
      `${problem.message}${problem.didYouMean === undefined ? '.' : `; did you mean ${problem.didYouMean}?`}`,
    );
  const unfinished = locateUnfinishedInput(source);
  if (unfinished)
    throw invalidOption(
      kind,
      `ends inside ${unfinished.inside} that begins on line ${unfinished.line}; everything after that would be lost.`,
    );
  try {
    return [sanitiseHeaderFooter(kind, source, date)];
  } catch (error) {
    throw error instanceof ApiError ? error : invalidOption(kind, 'could not be read as HTML.');
  }
};

/** As YYYY-MM-DD. */
const dateIn = (timeZone: string, instant: Date): string => {
  const format = new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return `${parts['year']}-${parts['month']}-${parts['day']}`;
};

/**
 * Parses header_html and footer_html, at most 1 MB each; empty ones are omitted. Takes about a second for the largest.
 * @throws ApiError conversion_failed, image_load_failed
 */
export const parseHeaderFooter = (
  { header_html: header, footer_html: footer, time_zone: timeZone = 'UTC' }: HeaderFooterSources,
  requestedAt: Date,
): HeaderFooterContent[] => {
  const date = dateIn(timeZone, requestedAt);
  return [...parseOption('header', header, date), ...parseOption('footer', footer, date)];
};
