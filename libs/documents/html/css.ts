import type { Budget } from '../budget.ts';
import { type CssNode, parse, walk } from 'css-tree';

/** What a piece of CSS can make a browser fetch. */
export type CssReach = { external: boolean; images: string[] };

const nothing: CssReach = { external: false, images: [] };
const mayFetch = /url|@import|image|src\s*\(|\\/i;
const fetching = /url|@import|image-set|image\s*\(|src\s*\(/i;
const fetchingFunction = /^(-webkit-)?(image-set|image|src|cross-fade)$/i;

/** css-tree takes as long to recover from an error as the HTML parser to make so many elements. */
const unitsPerError = 20;

/** True for addresses that never leave the document: empty, `data:` and fragments. */
export const isLocalAddress = (address: string): boolean => /^[\u0000-\u0020]*(data:|#|$|about:blank)/i.test(address);

/**
 * Which addresses the CSS of a `<style>` or a `style` attribute can fetch. What cannot be told counts as external.
 * @param context how css-tree shall read it
 * @param budget spent by half a unit for each character that has to be parsed, and {@link unitsPerError} for each error
 */
export const reachOfCss = (css: string, context: 'stylesheet' | 'declarationList', budget: Budget): CssReach => {
  if (!mayFetch.test(css)) return nothing;
  budget.spend(css.length / 2);
  const reach: CssReach = { external: false, images: [] };
  const onParseError = (): void => budget.spend(unitsPerError);
  walk(parse(css, { context, parseCustomProperty: true, onParseError }), function (node) {
    note(reach, node, this.atrule?.name.toLowerCase(), this.function?.name ?? '');
  });
  return reach;
};

const note = (reach: CssReach, node: CssNode, atrule: string | undefined, inFunction: string): void => {
  if (node.type === 'Url' && atrule !== 'namespace' && !isLocalAddress(node.value)) {
    reach.external = true;
    if (atrule !== 'import' && atrule !== 'font-face') reach.images.push(node.value);
  }
  if (node.type === 'Raw' && fetching.test(node.value)) reach.external = true;
  if (node.type === 'Raw' && node.value.includes('\\')) reach.external = true;
  if (node.type === 'Atrule' && /^import$|\\/i.test(node.name)) reach.external = true;
  if (node.type === 'String' && fetchingFunction.test(inFunction) && !isLocalAddress(node.value)) reach.external = true;
};
