import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  type PDFPage,
} from '@cantoo/pdf-lib';
import type { MarkedContent } from './content-stream.ts';
import { name } from './names-and-texts.ts';
import { readParentTree } from './merge/structure.ts';
import { kidsOf } from './structure-tree.ts';

/** Elements whose own lines and areas are borders and backgrounds. */
const decorated: ReadonlySet<string> = new Set([
  ...['Document', 'Part', 'Sect', 'Art', 'BlockQuote', 'Caption', 'P', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6'],
  ...['Table', 'THead', 'TBody', 'TFoot', 'TR', 'TH', 'TD', 'L', 'LI', 'LBody'],
]);

const roleOf = (element: PDFDict): string => {
  const role = element.lookup(name('S'));
  return role instanceof PDFName ? role.decodeText() : '';
};

const maxDepthInCell = 20;

/** Whether an element is a header cell of a table, or in one. */
const isInHeaderCell = (element: PDFDict): boolean => {
  let at: PDFObject | undefined = element;
  for (let depth = 0; depth < maxDepthInCell && at instanceof PDFDict; depth += 1) {
    const role = roleOf(at);
    if (role === 'TH') return true;
    if (role === 'TD' || role === 'Table') return false;
    at = at.lookup(name('P'));
  }
  return false;
};

/** The elements of the marked content of each page, by the key of the page in the parent tree (ISO 32000-1, 14.7.4.4). */
const readParents = (document: PDFDocument): Map<number, PDFArray> => {
  const root = document.catalog.lookupMaybe(name('StructTreeRoot'), PDFDict);
  const entries = root ? readParentTree(document, root) : [];
  return new Map(entries.flatMap(({ key, value }) => (value instanceof PDFArray ? [[key, value]] : [])));
};

const keyOf = (page: PDFObject | undefined, id: number): string => `${page?.toString() ?? ''} ${id}`;

/** Takes marked content with these keys out of its element. */
const removeKids = (element: PDFDict, keys: ReadonlySet<string>): void => {
  const elementPage = element.get(name('Pg'));
  const left = kidsOf(element).filter((kid) => {
    const found = element.context.lookup(kid);
    if (found instanceof PDFNumber) return !keys.has(keyOf(elementPage, found.asNumber()));
    const id = found instanceof PDFDict ? found.lookup(name('MCID')) : undefined;
    return !(found instanceof PDFDict && id instanceof PDFNumber)
      ? true
      : !keys.has(keyOf(found.get(name('Pg')) ?? elementPage, id.asNumber()));
  });
  element.set(name('K'), element.context.obj(left));
};

export type Decoration = {
  /** Whether marked content of a page is decoration. Pages must be given in their order. */
  isOn: (page: PDFPage) => (marked: MarkedContent) => boolean;
  /** Takes what was found out of the structure. */
  remove: () => void;
};

/**
 * Finds marked content that assistive technology must skip: borders and backgrounds, the header rows that a table
 * repeats on each page, and what the browser draws twice, once at the end of a page where it has no room
 * (ISO 14289-1, 7.1).
 */
export const openDecoration = (document: PDFDocument): Decoration => {
  const parents = readParents(document);
  const found = new Map<PDFDict, Set<string>>();
  const headerTexts = new Map<PDFDict, { text: string; page: PDFPage }>();

  const isRepeated = (element: PDFDict, marked: MarkedContent, page: PDFPage): boolean => {
    const text = isInHeaderCell(element) ? marked.text() : '';
    if (text === '') return false;
    const first = headerTexts.get(element);
    if (!first) headerTexts.set(element, { text, page });
    return first !== undefined && first.page !== page && first.text === text;
  };

  const isOn = (page: PDFPage) => {
    const key = page.node.lookup(name('StructParents'));
    const elements = key instanceof PDFNumber ? parents.get(key.asNumber()) : undefined;
    return (marked: MarkedContent): boolean => {
      const element = elements && marked.id < elements.size() ? elements.lookup(marked.id) : undefined;
      if (!elements || !(element instanceof PDFDict)) return false;
      const isDecoration = {
        nothing: () => kidsOf(element).length > 1,
        paths: () => decorated.has(roleOf(element)),
        more: () => isRepeated(element, marked, page),
      }[marked.paints]();
      if (!isDecoration) return false;
      elements.set(marked.id, PDFNull);
      const keys = found.get(element) ?? new Set();
      found.set(element, keys.add(keyOf(page.ref, marked.id)));
      return true;
    };
  };
  return {
    isOn,
    remove: () => {
      for (const [element, keys] of found) removeKids(element, keys);
    },
  };
};
