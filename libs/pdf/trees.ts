import { PDFArray, type PDFContext, PDFDict, type PDFObject } from '@cantoo/pdf-lib';
import { name } from './names-and-texts.ts';

/** A bound for damaged trees. */
const maxNodes = 1_000_000;

/**
 * The entries of each node of a name tree or a number tree, in the order of the tree (ISO 32000-1, 7.9.6 and 7.9.7).
 * Each node is read once, so that loops do no harm. The values are references as they are in the file.
 */
export function* treeNodes(
  context: PDFContext,
  root: PDFObject | undefined,
  entriesKey: 'Names' | 'Nums',
): Generator<[key: PDFObject | undefined, value: PDFObject][]> {
  const pending = [root];
  const seen = new Set<PDFObject>();
  for (let next = pending.pop(); next && seen.size < maxNodes; next = pending.pop()) {
    const node = context.lookup(next);
    if (!(node instanceof PDFDict) || seen.has(node)) continue;
    seen.add(node);
    const entries = node.lookup(name(entriesKey));
    if (entries instanceof PDFArray)
      yield Array.from({ length: entries.size() >> 1 }, (_, at) => [entries.lookup(2 * at), entries.get(2 * at + 1)]);
    const kids = node.lookup(name('Kids'));
    if (kids instanceof PDFArray) for (const kid of kids.asArray().toReversed()) pending.push(kid);
  }
}

/** All elements of a tree in reading order, parents before their children. */
export function* inOrder<T extends { children: T[] }>(top: readonly T[]): Generator<T> {
  const pending = top.toReversed();
  for (let next = pending.pop(); next; next = pending.pop()) {
    yield next;
    // One by one: a call has room for some 100,000 arguments.
    for (const child of next.children.toReversed()) pending.push(child);
  }
}
