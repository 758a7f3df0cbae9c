import type { Budget } from '../budget.ts';
import { type CssNode, parse, walk } from 'css-tree';

/** What a piece of CSS can make a browser fetch. */
export type CssResources = { external: boolean; images: string[] };

const noResources: CssResources = { external: false, images: [] };
const fetchHint = /url|@import|image|src\s*\(|\\/i;
const fetchPattern = /url|@import|image-set|image\s*\(|src\s*\(/i;
const fetchingFunction = /^(-webkit-)?(image-set|image|src|cross-fade)$/i;

/** css-tree takes as long to recover from an error as the HTML parser to make so many elements. */
const unitsPerError = 20;

/** True for addresses that never leave the document: empty, `data:` and fragments. */
export const isLocalUrl = (address: string): boolean => /^[\u0000-\u0020]*(data:|#|$|about:blank)/i.test(address);

/**
 * Which addresses the CSS of a `<style>` or a `style` attribute can fetch. What cannot be told counts as external.
 * @param context how css-tree shall read it
 * @param budget spent by half a unit for each character that has to be parsed, and {@link unitsPerError} for each error
 */
export const findCssResources = (
  css: string,
  context: 'stylesheet' | 'declarationList',
  budget: Budget,
): CssResources => {
  if (!fetchHint.test(css)) return noResources;
  budget.spend(css.length / 2);
  const reach: CssResources = { external: false, images: [] };
  const onParseError = (): void => budget.spend(unitsPerError);
  walk(parse(css, { context, parseCustomProperty: true, onParseError }), function (node) {
    recordResources(reach, node, this.atrule?.name.toLowerCase(), this.function?.name ?? '');
  });
  return reach;
};

const recordResources = (reach: CssResources, node: CssNode, atrule: string | undefined, inFunction: string): void => {
  if (node.type === 'Url' && atrule !== 'namespace' && !isLocalUrl(node.value)) {
    reach.external = true;
    if (atrule !== 'import' && atrule !== 'font-face') reach.images.push(node.value);
  }
  if (node.type === 'Raw' && fetchPattern.test(node.value)) reach.external = true;
  if (node.type === 'Raw' && node.value.includes('\\')) reach.external = true;
  if (node.type === 'Atrule' && /^import$|\\/i.test(node.name)) reach.external = true;
  if (node.type === 'String' && fetchingFunction.test(inFunction) && !isLocalUrl(node.value)) reach.external = true;
};
