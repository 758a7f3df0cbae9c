import { generate, parse, walk, type CssNode, type List } from 'css-tree';

// Names in the browser's own template: by some it finds where to write, by others it lays out.
const reserved = new Set(['date', 'title', 'url', 'pageNumber', 'totalPages', 'left', 'center', 'right', 'grow', 'text', 'header', 'footer', 'content']);

/** The form of a class or id that cannot be mistaken for one of the browser's own. */
export const separateName = (name: string): string => (reserved.has(name) ? `own-${name}` : name);

const loose = new Set(['font-face', 'keyframes', '-webkit-keyframes', 'property', 'counter-style', 'namespace', 'layer']);
const dropped = new Set(['import', 'charset', 'page']);

/** Binds a style sheet to the elements below `scope` (a selector); `html` and `body` mean the scope itself. */
export const scopeStyles = (css: string, scope: string): string => {
  const sheet = parse(css);
  walk(sheet, (node: CssNode, item, list: List<CssNode>) => {
    if (node.type === 'ClassSelector' || node.type === 'IdSelector') node.name = separateName(node.name);
    if (node.type === 'TypeSelector' && /^(?:html|body)$/i.test(node.name)) list.replace(item, list.createItem({ type: 'PseudoClassSelector', name: 'scope', children: null }));
  });
  const rules = sheet.type === 'StyleSheet' ? sheet.children.toArray() : [];
  const named = (names: Set<string>) => (rule: CssNode) => rule.type === 'Atrule' && names.has(rule.name.toLowerCase());
  const free = rules.filter(named(loose));
  const bound = rules.filter((rule) => !named(loose)(rule) && !named(dropped)(rule));
  const text = `${free.map((rule) => generate(rule)).join('')}@scope(${scope}){${bound.map((rule) => generate(rule)).join('')}}`;
  // An escaped character comes out plain, and could end the style element.
  return text.replaceAll('</', '<\\/');
};
