import { PDFDict, type PDFDocument, type PDFRef, PDFRef as Reference } from '@cantoo/pdf-lib';
import { name, textOf } from '../names-and-texts.ts';

/** A bookmark (ISO 32000-1, 12.3.3). `level` is from 1. */
export type OutlineItem = {
  reference: PDFRef;
  dictionary: PDFDict;
  title: string;
  level: number;
  children: OutlineItem[];
};

const maxItems = 200_000;

/** The outline of a PDF, without recursion and without loops. */
export const readOutline = ({ catalog, context }: PDFDocument): OutlineItem[] => {
  const root = catalog.lookup(name('Outlines'));
  const top: OutlineItem[] = [];
  if (!(root instanceof PDFDict)) return top;
  const seen = new Set<PDFRef>();
  const pending = [{ first: root.get(name('First')), into: top, level: 1 }];
  for (let siblings = pending.pop(); siblings; siblings = pending.pop())
    for (let next = siblings.first; next instanceof Reference && !seen.has(next) && seen.size < maxItems;) {
      seen.add(next);
      const dictionary = context.lookup(next);
      if (!(dictionary instanceof PDFDict)) break;
      const item: OutlineItem = {
        reference: next,
        dictionary,
        title: textOf(dictionary.lookup(name('Title'))) ?? '',
        level: siblings.level,
        children: [],
      };
      siblings.into.push(item);
      pending.push({ first: dictionary.get(name('First')), into: item.children, level: item.level + 1 });
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
