import { type PDFContext, PDFDict, PDFHexString, PDFNumber, type PDFObject, type PDFRef } from '@cantoo/pdf-lib';
import { name, textOf } from '../names-and-texts.ts';
import type { Destinations } from './destinations.ts';
import { importLimits } from './limits.ts';

type Item = { title: string; destination: PDFObject | null; isOpen: boolean; children: Item[] };

/** Reads the items of an outline, each once, so that loops do no harm. */
const readItems = (outlines: PDFDict, destinations: Destinations): Item[] => {
  const seen = new Set<PDFObject>();
  const readChildren = (parent: PDFDict, depth: number): Item[] => {
    const items: Item[] = [];
    let next = parent.lookup(name('First'));
    while (next instanceof PDFDict && !seen.has(next) && seen.size < importLimits.outlineItems) {
      seen.add(next);
      const title = textOf(next.lookup(name('Title')))?.trim();
      const count = next.lookup(name('Count'));
      const destination = destinations.resolve(next.get(name('Dest'))) ?? destinations.ofAction(next.get(name('A')));
      const children = depth < importLimits.outlineDepth ? readChildren(next, depth + 1) : [];
      const isOpen = count instanceof PDFNumber && count.asNumber() > 0;
      // Without a title or a place, an item is of use only for what is below it.
      if (title) items.push({ title: title.slice(0, 2000), destination, isOpen, children });
      else for (const child of children) items.push(child);
      next = next.lookup(name('Next'));
    }
    return items;
  };
  return readChildren(outlines, 0);
};

/** Writes the items below their parent. Returns how many of them are visible. */
const writeItems = (to: PDFContext, items: readonly Item[], parent: PDFDict, parentReference: PDFRef): number => {
  const written = items.map((item) => {
    const dictionary = to.obj({ Title: PDFHexString.fromText(item.title), Parent: parentReference });
    return { item, dictionary, reference: to.register(dictionary) };
  });
  let visible = 0;
  for (const [at, { item, dictionary, reference }] of written.entries()) {
    const [previous, next] = [written[at - 1], written[at + 1]];
    if (item.destination) dictionary.set(name('Dest'), item.destination);
    if (previous) dictionary.set(name('Prev'), previous.reference);
    if (next) dictionary.set(name('Next'), next.reference);
    const below = item.children.length > 0 ? writeItems(to, item.children, dictionary, reference) : 0;
    if (below > 0) dictionary.set(name('Count'), PDFNumber.of(item.isOpen ? below : -below));
    visible += 1 + (item.isOpen ? below : 0);
  }
  const [first, last] = [written[0], written.at(-1)];
  if (first) parent.set(name('First'), first.reference);
  if (last) parent.set(name('Last'), last.reference);
  return visible;
};

/** Copies the outline, with places in the document only. */
export const importOutline = (
  { catalog }: { catalog: PDFDict },
  { context: to, catalog: newCatalog }: { context: PDFContext; catalog: PDFDict },
  destinations: Destinations,
): void => {
  const outlines = catalog.lookup(name('Outlines'));
  const items = outlines instanceof PDFDict ? readItems(outlines, destinations) : [];
  if (items.length === 0) return;
  const dictionary = to.obj({ Type: 'Outlines' });
  const reference = to.register(dictionary);
  dictionary.set(name('Count'), PDFNumber.of(writeItems(to, items, dictionary, reference)));
  newCatalog.set(name('Outlines'), reference);
};
