import { generate, parse as parseCss, walk, type CssNode, type List } from 'css-tree';
import {
  defaultTreeAdapter as tree,
  html,
  parse,
  serialize,
  serializeOuter,
  type DefaultTreeAdapterTypes as Dom,
} from 'parse5';
import { ApiError } from '#contracts/http/api-error.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';

// Names in the browser's own template: by some it finds where to write, by others it lays out.
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

/** The form of a class or id that cannot be mistaken for one of the browser's own. */
export const unreservedName = (name: string): string => (reservedNames.has(name) ? `own-${name}` : name);

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

/** Binds a style sheet to the elements below `scope` (a selector); `html` and `body` mean the scope itself. */
export const scopeStyles = (css: string, scope: string): string => {
  const sheet = parseCss(css);
  walk(sheet, (node: CssNode, item, list: List<CssNode>) => {
    if (node.type === 'ClassSelector' || node.type === 'IdSelector') node.name = unreservedName(node.name);
    if (node.type === 'TypeSelector' && /^(?:html|body)$/i.test(node.name))
      list.replace(item, list.createItem({ type: 'PseudoClassSelector', name: 'scope', children: null }));
  });
  const rules = sheet.type === 'StyleSheet' ? sheet.children.toArray() : [];
  const named = (names: Set<string>) => (rule: CssNode) => rule.type === 'Atrule' && names.has(rule.name.toLowerCase());
  const free = rules.filter(named(unscopedAtRules));
  const bound = rules.filter((rule) => !named(unscopedAtRules)(rule) && !named(droppedAtRules)(rule));
  const text = `${free.map((rule) => generate(rule)).join('')}@scope(${scope}){${bound.map((rule) => generate(rule)).join('')}}`;
  // What could end the style element, or begin another one where the browser reads markup instead of styles.
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
]);

const isElement = (node: Dom.Node): node is Dom.Element => 'tagName' in node;
const childrenOf = (node: Dom.Node): Dom.ChildNode[] => ('childNodes' in node ? node.childNodes : []);
const isAllowedAttribute = ({ name, value }: { name: string; value: string }) =>
  !/^on/i.test(name) && name !== 'srcdoc' && !/^[\s\x00-\x1f]*(?:javascript|vbscript):/i.test(value);

/** Every attribute that a band may keep; the names that the browser's own template uses get another form, or it would take the element for its own. */
const allowedAttributes = ({ attrs }: Dom.Element) =>
  attrs.filter(isAllowedAttribute).map((attribute) => {
    if (attribute.name === 'id') return { ...attribute, value: unreservedName(attribute.value) };
    if (attribute.name === 'class')
      return { ...attribute, value: attribute.value.split(/\s+/).map(unreservedName).join(' ') };
    return attribute;
  });

const textNode = (value: string): Dom.TextNode => tree.createTextNode(value);
const counterElement = (name: string): Dom.ChildNode =>
  tree.createElement('span', html.NS.HTML, [{ name: 'class', value: name }]);
const counterClasses: Record<string, string> = { page: 'pageNumber', total: 'totalPages' };

/** `{{page}}` and `{{total}}` become what the browser counts in; the date has been set before. */
const replaceCounters = (text: string): Dom.ChildNode[] =>
  text
    .split(/\{\{\s*(page|total)\s*\}\}/)
    .flatMap((piece, index) =>
      index % 2 === 1 ? [counterElement(counterClasses[piece]!)] : piece ? [textNode(piece)] : [],
    );

const sanitise = (nodes: Dom.ChildNode[], place: HeaderFooterKind): Dom.ChildNode[] =>
  nodes.flatMap((node): Dom.ChildNode[] => {
    if (node.nodeName === '#text') return replaceCounters((node as Dom.TextNode).value);
    if (!isElement(node) || forbiddenElements.has(node.tagName.toLowerCase())) return [];
    node.attrs = allowedAttributes(node);
    if (node.tagName !== 'style') node.childNodes = sanitise(node.childNodes, place);
    // Within a drawing a style element is read by other rules than it is written by.
    else if (node.namespaceURI === html.NS.HTML) {
      // Of sheets with titles the browser applies those with the first title alone.
      node.attrs = node.attrs.filter(({ name }) => name !== 'title');
      setText(node, scopeStyles(textContent(node), `.colophon-${place}`));
    } else return [];
    return [node];
  });

const textContent = (node: Dom.Element) =>
  childrenOf(node)
    .map((child) => ('value' in child ? child.value : ''))
    .join('');
/** Text that knows its element, as text of a style element must: it is written without references. */
const setText = (node: Dom.Element, text: string) => {
  node.childNodes = [];
  tree.insertText(node, text);
};

const childElement = (node: Dom.Node, name: string): Dom.Element | undefined =>
  childrenOf(node)
    .filter(isElement)
    .find(({ tagName }) => tagName === name);
const serializeAttributes = (attrs: { name: string; value: string }[]) =>
  attrs.map(({ name, value }) => ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`).join('');

/** A band as it can be set into a page: no script, nothing that loads another document; styles bound to the band; the body's attributes on a block around it all. */
export type HeaderFooterContent = { kind: HeaderFooterKind; html: string; images: string[] };

const externalImages = (nodes: Dom.ChildNode[]): string[] =>
  nodes.filter(isElement).flatMap((node) => {
    const source = node.tagName === 'img' ? node.attrs.find(({ name }) => name === 'src')?.value : undefined;
    return [...(source && /^https?:/i.test(source) ? [source] : []), ...externalImages(childrenOf(node))];
  });

/** Reads header_html or footer_html. `date` is put for `{{date}}` wherever it stands. */
export const sanitiseHeaderFooter = (place: HeaderFooterKind, source: string, date: string): HeaderFooterContent => {
  const root = childElement(parse(source.replaceAll(/\{\{\s*date\s*\}\}/g, date)), 'html');
  const [head, body] = [root && childElement(root, 'head'), root && childElement(root, 'body')];
  const styles = sanitise(
    childrenOf(head ?? tree.createDocumentFragment()).filter((node) => node.nodeName === 'style'),
    place,
  );
  const content = sanitise(childrenOf(body ?? tree.createDocumentFragment()), place);
  const fragment = tree.createDocumentFragment();
  for (const node of content) tree.appendChild(fragment, node);
  const attributes = body ? serializeAttributes(allowedAttributes(body)) : '';
  return {
    kind: place,
    html: `${styles.map((style) => serializeOuter(style)).join('')}<div${attributes}>${serialize(fragment)}</div>`,
    images: [...new Set(externalImages(content))],
  };
};

/** The HTML of the two bands; null where there is none. */
export type HeaderFooterSources = Pick<RenderOptions, 'header_html' | 'footer_html'>;

const maxSourceLength = 2 ** 20;

const parseOption = (place: HeaderFooterKind, source: string | null, date: string): HeaderFooterContent[] => {
  if (source === null || source.trim() === '') return [];
  const name = `${place}_html`;
  const refuse = (why: string) => ApiError.of('conversion_failed', `${name} ${why}`, { details: { field: name } });
  if (source.length > maxSourceLength) throw refuse('is larger than 1 MB.');
  try {
    return [sanitiseHeaderFooter(place, source, date)];
  } catch {
    throw refuse('could not be read as HTML.');
  }
};

/** Reads header_html and footer_html, at most 1 MB each; what is empty is left out. Takes about a second for the largest. Throws conversion_failed. */
export const parseHeaderFooter = (
  { header_html: header, footer_html: footer }: HeaderFooterSources,
  requestedAt: Date,
): HeaderFooterContent[] => {
  const date = requestedAt.toISOString().slice(0, 10);
  return [...parseOption('header', header, date), ...parseOption('footer', footer, date)];
};
