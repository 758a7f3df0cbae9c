import { readFileSync } from 'node:fs';
import { PDFArray, PDFDict, type PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { readNamedDestinations } from '../merge/destinations.ts';
import { name, textOf } from '../names-and-texts.ts';
import { type PageSize, pageSizesOf } from '../stamp.ts';
import { headingsBelow, type OutlineItem, readOutline } from '../merge/outline.ts';
import { loadPdf } from '../load-and-save.ts';
import { inOrder } from '../trees.ts';

/** A heading: its text, its level from 1, and the index of its page in the part, and its own index. */
export type PartHeading = { text: string; level: number; page: number; index: number };
/** What the outline and the contents say about a part. `language` is null if it names none; `sizes` are
 * those of its pages as they are seen. */
export type PartHeadings = { title: string; language: string | null; headings: PartHeading[]; sizes: PageSize[] };

export type ReadHeadingsInput = {
  /** `title` is null if the request names none. */
  parts: { file: string; title: string | null; fallback: string }[];
  /** How many levels of headings are read; 0 for none. */
  levels: number;
};

const titleOf = ({ context }: PDFDocument, outline: readonly OutlineItem[], fallback: string): string => {
  const information = context.lookup(context.trailerInfo.Info);
  const own = information instanceof PDFDict ? textOf(information.lookup(name('Title')))?.trim() : null;
  return own || outline[0]?.title.trim() || fallback;
};

const maxTextLength = 500;

const readOne = async (
  { file, title, fallback }: ReadHeadingsInput['parts'][number],
  levels: number,
): Promise<PartHeadings> => {
  const document = await loadPdf(readFileSync(file));
  const outline = readOutline(document);
  const ownTitle = title ?? titleOf(document, outline, fallback);
  const language = textOf(document.catalog.lookup(name('Lang')))?.trim() || null;
  const pages = new Map(document.getPages().map(({ ref }, index) => [ref.toString(), index]));
  const named = readNamedDestinations(document);
  const pageOf = ({ dictionary }: OutlineItem): number => {
    const action = dictionary.lookup(name('A'));
    const found = dictionary.lookup(name('Dest')) ?? (action instanceof PDFDict ? action.lookup(name('D')) : undefined);
    const array =
      found instanceof PDFArray
        ? found
        : named.get((found instanceof PDFName ? found.decodeText() : textOf(found)?.trim()) ?? '');
    return pages.get(array?.get(0).toString() ?? '') ?? 0;
  };
  const { own, below } = headingsBelow(ownTitle, outline);
  const headings = [...inOrder(below)].flatMap((item, index): PartHeading[] => {
    const level = own ? item.level - 1 : item.level;
    return level > levels ? [] : [{ text: item.title.slice(0, maxTextLength), level, page: pageOf(item), index }];
  });
  return { title: ownTitle.slice(0, maxTextLength), language, headings, sizes: pageSizesOf(document) };
};

/** Reads the titles and headings of PDFs one after the other. Runs in a worker process. */
export const readHeadings = async ({ parts, levels }: ReadHeadingsInput): Promise<PartHeadings[]> => {
  const all: PartHeadings[] = [];
  for (const part of parts) all.push(await readOne(part, levels));
  return all;
};
