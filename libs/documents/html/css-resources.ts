import type { Budget } from '../budget.ts';
import { type CssNode, parse, walk } from 'css-tree/dist/csstree.esm';

/** What a piece of CSS may make a browser fetch. */
export type CssResources = { external: boolean; images: string[] };

const noResources: CssResources = { external: false, images: [] };
const fetchHint = /url|@import|image|src\s*\(|\\/i;
const fetchPattern = /url|@import|image-set|image\s*\(|src\s*\(/i;
const fetchingFunction = /^(-webkit-)?(image-set|image|src|cross-fade)$/i;

/** Error recovery in css-tree takes as long as the HTML parser takes for this number of elements. */
const unitsPerError = 20;

/** Whether a URL never leaves the document: empty, `data:` or a fragment. */
export const isLocalUrl = (url: string): boolean => /^[\u0000-\u0020]*(data:|#|$|about:blank)/i.test(url);

/**
 * Finds the URLs that the CSS of a `<style>` or a `style` attribute may fetch. In doubt they count as external.
 * @param context how css-tree parses the CSS
 * @param budget spent by half a unit for each parsed character, and {@link unitsPerError} for each error
 */
export const findCssResources = (
  css: string,
  context: 'stylesheet' | 'declarationList',
  budget: Budget,
): CssResources => {
  if (!fetchHint.test(css)) return noResources;
  budget.spend(css.length / 2);
  const resources: CssResources = { external: false, images: [] };
  const onParseError = (): void => budget.spend(unitsPerError);
  walk(parse(css, { context, parseCustomProperty: true, onParseError }), function (node) {
    recordResources(resources, node, this.atrule?.name.toLowerCase(), this.function?.name ?? '');
  });
  return resources;
};

const recordResources = (
  resources: CssResources,
  node: CssNode,
  atrule: string | undefined,
  inFunction: string,
): void => {
  if (node.type === 'Url' && atrule !== 'namespace' && !isLocalUrl(node.value)) {
    resources.external = true;
    if (atrule !== 'import' && atrule !== 'font-face') resources.images.push(node.value);
  }
  if (node.type === 'Raw' && fetchPattern.test(node.value)) resources.external = true;
  if (node.type === 'Raw' && node.value.includes('\\')) resources.external = true;
  if (node.type === 'Atrule' && /^import$|\\/i.test(node.name)) resources.external = true;
  if (node.type === 'String' && fetchingFunction.test(inFunction) && !isLocalUrl(node.value)) resources.external = true;
};
