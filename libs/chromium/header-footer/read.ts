import { generate, parse as parseCss, walk, type CssNode, type List } from 'css-tree';
import { defaultTreeAdapter as tree, html, parse, serialize, serializeOuter, type DefaultTreeAdapterTypes as Dom } from 'parse5';
import { Problem } from '#contracts/http/problem.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';

// Names in the browser's own template: by some it finds where to write, by others it lays out.
const reserved = new Set(['date', 'title', 'url', 'pageNumber', 'totalPages', 'left', 'center', 'right', 'grow', 'text', 'header', 'footer', 'content']);

/** The form of a class or id that cannot be mistaken for one of the browser's own. */
export const separateName = (name: string): string => (reserved.has(name) ? `own-${name}` : name);

const loose = new Set(['font-face', 'keyframes', '-webkit-keyframes', 'property', 'counter-style', 'namespace', 'layer']);
const dropped = new Set(['import', 'charset', 'page']);

/** Binds a style sheet to the elements below `scope` (a selector); `html` and `body` mean the scope itself. */
export const scopeStyles = (css: string, scope: string): string => {
  const sheet = parseCss(css);
  walk(sheet, (node: CssNode, item, list: List<CssNode>) => {
    if (node.type === 'ClassSelector' || node.type === 'IdSelector') node.name = separateName(node.name);
    if (node.type === 'TypeSelector' && /^(?:html|body)$/i.test(node.name)) list.replace(item, list.createItem({ type: 'PseudoClassSelector', name: 'scope', children: null }));
  });
  const rules = sheet.type === 'StyleSheet' ? sheet.children.toArray() : [];
  const named = (names: Set<string>) => (rule: CssNode) => rule.type === 'Atrule' && names.has(rule.name.toLowerCase());
  const free = rules.filter(named(loose));
  const bound = rules.filter((rule) => !named(loose)(rule) && !named(dropped)(rule));
  const text = `${free.map((rule) => generate(rule)).join('')}@scope(${scope}){${bound.map((rule) => generate(rule)).join('')}}`;
  // What could end the style element, or begin another one where the browser reads markup instead of styles.
  return text.replace(/<(?=[a-z!/?])/gi, String.raw`\3c `);
};

export type Edge = 'header' | 'footer';

const banned = new Set(['script', 'noscript', 'iframe', 'frame', 'frameset', 'object', 'embed', 'applet', 'link', 'meta', 'base', 'title', 'template', 'animate', 'animatetransform', 'animatemotion', 'set', 'portal']);

const isElement = (node: Dom.Node): node is Dom.Element => 'tagName' in node;
const childrenOf = (node: Dom.Node): Dom.ChildNode[] => ('childNodes' in node ? node.childNodes : []);
const mayStay = ({ name, value }: { name: string; value: string }) => !/^on/i.test(name) && name !== 'srcdoc' && !/^[\s\x00-\x1f]*(?:javascript|vbscript):/i.test(value);

/** Every attribute that a band may keep; the names that the browser's own template uses get another form, or it would take the element for its own. */
const keptAttributes = ({ attrs }: Dom.Element) =>
  attrs.filter(mayStay).map((attribute) => {
    if (attribute.name === 'id') return { ...attribute, value: separateName(attribute.value) };
    if (attribute.name === 'class') return { ...attribute, value: attribute.value.split(/\s+/).map(separateName).join(' ') };
    return attribute;
  });

const textNode = (value: string): Dom.TextNode => tree.createTextNode(value);
const counter = (name: string): Dom.ChildNode => tree.createElement('span', html.NS.HTML, [{ name: 'class', value: name }]);
const counters: Record<string, string> = { page: 'pageNumber', total: 'totalPages' };

/** `{{page}}` and `{{total}}` become what the browser counts in; the date has been set before. */
const withCounters = (text: string): Dom.ChildNode[] =>
  text.split(/\{\{\s*(page|total)\s*\}\}/).flatMap((piece, index) => (index % 2 === 1 ? [counter(counters[piece]!)] : piece ? [textNode(piece)] : []));

const clean = (nodes: Dom.ChildNode[], place: Edge): Dom.ChildNode[] =>
  nodes.flatMap((node): Dom.ChildNode[] => {
    if (node.nodeName === '#text') return withCounters((node as Dom.TextNode).value);
    if (!isElement(node) || banned.has(node.tagName.toLowerCase())) return [];
    node.attrs = keptAttributes(node);
    if (node.tagName !== 'style') node.childNodes = clean(node.childNodes, place);
    // Within a drawing a style element is read by other rules than it is written by.
    else if (node.namespaceURI === html.NS.HTML) {
      // Of sheets with titles the browser applies those with the first title alone.
      node.attrs = node.attrs.filter(({ name }) => name !== 'title');
      setText(node, scopeStyles(textOf(node), `.band-${place}`));
    } else return [];
    return [node];
  });

const textOf = (node: Dom.Element) => childrenOf(node).map((child) => ('value' in child ? child.value : '')).join('');
/** Text that knows its element, as text of a style element must: it is written without references. */
const setText = (node: Dom.Element, text: string) => {
  node.childNodes = [];
  tree.insertText(node, text);
};

const child = (node: Dom.Node, name: string): Dom.Element | undefined => childrenOf(node).filter(isElement).find(({ tagName }) => tagName === name);
const attributeText = (attrs: { name: string; value: string }[]) => attrs.map(({ name, value }) => ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`).join('');

/** A band as it can be set into a page: no script, nothing that loads another document; styles bound to the band; the body's attributes on a block around it all. */
export type EdgeContent = { place: Edge; html: string; images: string[] };

const imagesOf = (nodes: Dom.ChildNode[]): string[] =>
  nodes.filter(isElement).flatMap((node) => {
    const source = node.tagName === 'img' ? node.attrs.find(({ name }) => name === 'src')?.value : undefined;
    return [...(source && /^https?:/i.test(source) ? [source] : []), ...imagesOf(childrenOf(node))];
  });

/** Reads header_html or footer_html. `date` is put for `{{date}}` wherever it stands. */
export const readEdge = (place: Edge, source: string, date: string): EdgeContent => {
  const root = child(parse(source.replaceAll(/\{\{\s*date\s*\}\}/g, date)), 'html');
  const [head, body] = [root && child(root, 'head'), root && child(root, 'body')];
  const styles = clean(childrenOf(head ?? tree.createDocumentFragment()).filter((node) => node.nodeName === 'style'), place);
  const content = clean(childrenOf(body ?? tree.createDocumentFragment()), place);
  const fragment = tree.createDocumentFragment();
  for (const node of content) tree.appendChild(fragment, node);
  const attributes = body ? attributeText(keptAttributes(body)) : '';
  return { place, html: `${styles.map((style) => serializeOuter(style)).join('')}<div${attributes}>${serialize(fragment)}</div>`, images: [...new Set(imagesOf(content))] };
};

/** The HTML of the two bands; null where there is none. */
export type HeaderFooterSources = Pick<RenderOptions, 'header_html' | 'footer_html'>;

const largestSource = 2 ** 20;

const readOption = (place: Edge, source: string | null, date: string): EdgeContent[] => {
  if (source === null || source.trim() === '') return [];
  const name = `${place}_html`;
  const refuse = (why: string) => Problem.of('conversion_failed', `${name} ${why}`, { details: { field: name } });
  if (source.length > largestSource) throw refuse('is larger than 1 MB.');
  try {
    return [readEdge(place, source, date)];
  } catch {
    throw refuse('could not be read as HTML.');
  }
};

/** Reads header_html and footer_html, at most 1 MB each; what is empty is left out. Takes about a second for the largest. Throws conversion_failed. */
export const readHeaderFooter = ({ header_html: header, footer_html: footer }: HeaderFooterSources, requestedAt: Date): EdgeContent[] => {
  const date = requestedAt.toISOString().slice(0, 10);
  return [...readOption('header', header, date), ...readOption('footer', footer, date)];
};
