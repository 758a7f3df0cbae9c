import type { DefaultTreeAdapterTypes as Dom } from 'parse5';

export const isElement = (node: Dom.Node): node is Dom.Element => 'tagName' in node;
export const childrenOf = (node: Dom.Node): Dom.ChildNode[] => ('childNodes' in node ? node.childNodes : []);

/** The text directly in an element. */
export const textContent = (node: Dom.Element) =>
  childrenOf(node)
    .map((child) => ('value' in child ? child.value : ''))
    .join('');
