import { PDFDict, type PDFDocument, type PDFRef, PDFRef as Reference } from '@cantoo/pdf-lib';
import { name, textOf } from '../names-and-texts.ts';

/** A bookmark (ISO 32000-1, 12.3.3). */
export type OutlineItem = { reference: PDFRef; dictionary: PDFDict; title: string; children: OutlineItem[] };

const maxItems = 200_000;

/** The outline of a PDF, without recursion and without loops. */
export const readOutline = ({ catalog, context }: PDFDocument): OutlineItem[] => {
  const root = catalog.lookup(name('Outlines'));
  const top: OutlineItem[] = [];
  if (!(root instanceof PDFDict)) return top;
  const seen = new Set<PDFRef>();
  const pending: { first: unknown; into: OutlineItem[] }[] = [{ first: root.get(name('First')), into: top }];
  for (let level = pending.pop(); level; level = pending.pop())
    for (let next = level.first; next instanceof Reference && !seen.has(next) && seen.size < maxItems;) {
      seen.add(next);
      const dictionary = context.lookup(next);
      if (!(dictionary instanceof PDFDict)) break;
      const item: OutlineItem = {
        reference: next,
        dictionary,
        title: textOf(dictionary.lookup(name('Title'))) ?? '',
        children: [],
      };
      level.into.push(item);
      pending.push({ first: dictionary.get(name('First')), into: item.children });
      next = dictionary.get(name('Next'));
    }
  return top;
};

const sameText = (one: string, other: string): boolean =>
  one.replaceAll(/\s+/g, ' ').trim() === other.replaceAll(/\s+/g, ' ').trim();

/**
 * The headings of a part below its title. A document whose only top heading is its title would name it twice, so the
 * headings below that one are taken.
 */
export const headingsBelow = (
  title: string,
  outline: readonly OutlineItem[],
): { own: OutlineItem | null; below: OutlineItem[] } => {
  const [first, ...others] = outline;
  return first && others.length === 0 && sameText(first.title, title)
    ? { own: first, below: first.children }
    : { own: null, below: [...outline] };
};

/** All items, parents before their children. */
export function* itemsOf(items: readonly OutlineItem[]): Generator<OutlineItem> {
  const pending = items.toReversed();
  for (let next = pending.pop(); next; next = pending.pop()) {
    yield next;
    for (const child of next.children.toReversed()) pending.push(child);
  }
}
