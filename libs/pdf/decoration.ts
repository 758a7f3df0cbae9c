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

/** The row of a table that an element is in. */
const rowOf = (element: PDFDict): PDFDict | null => {
  let at: PDFObject | undefined = element;
  for (let depth = 0; depth < maxDepthInCell && at instanceof PDFDict; depth += 1) {
    const role = roleOf(at);
    if (role === 'TR') return at;
    if (role === 'Table') return null;
    at = at.lookup(name('P'));
  }
  return null;
};

/** The elements of the marked content of each page, by the key of the page in the parent tree (ISO 32000-1, 14.7.4.4). */
const readParents = (document: PDFDocument): Map<number, PDFArray> => {
  const root = document.catalog.lookupMaybe(name('StructTreeRoot'), PDFDict);
  const entries = root ? readParentTree(document, root) : [];
  return new Map(entries.flatMap(({ key, value }) => (value instanceof PDFArray ? [[key, value]] : [])));
};

const keyOf = (page: PDFObject | undefined, id: number): string => `${page?.toString() ?? ''} ${id}`;

/** The page and id of marked content among the kids of an element; null for another kid. */
const markedKid = (element: PDFDict, kid: PDFObject): { page: PDFObject | undefined; id: number } | null => {
  const elementPage = element.get(name('Pg'));
  const found = element.context.lookup(kid);
  if (found instanceof PDFNumber) return { page: elementPage, id: found.asNumber() };
  const id = found instanceof PDFDict ? found.lookup(name('MCID')) : undefined;
  if (!(found instanceof PDFDict && id instanceof PDFNumber)) return null;
  return { page: found.get(name('Pg')) ?? elementPage, id: id.asNumber() };
};

/** Takes marked content with these keys out of its element. */
const removeKids = (element: PDFDict, keys: ReadonlySet<string>): void => {
  const left = kidsOf(element).filter((kid) => {
    const marked = markedKid(element, kid);
    return !marked || !keys.has(keyOf(marked.page, marked.id));
  });
  element.set(name('K'), element.context.obj(left));
};

const isOnPages = (element: PDFDict, count: number): boolean => {
  const kids = kidsOf(element);
  return kids.length >= count && new Set(kids.map((kid) => markedKid(element, kid)?.page)).size === count;
};

/** Marked content and its element. */
type ElementContent = { reference: PDFObject | undefined; element: PDFDict; marked: MarkedContent };

export type Decoration = {
  /** Selects what is decoration from the marked content of a page. Pages must be given in their order. */
  selectOn: (page: PDFPage) => (marked: readonly MarkedContent[]) => MarkedContent[];
  /** Takes what was found out of the structure. */
  remove: () => void;
};

/**
 * Finds marked content that assistive technology must skip: borders and backgrounds, the rows of header and footer that a
 * table repeats on each page, text that the browser repeats at its place on all pages (`position: fixed`), and what it draws
 * twice, once at the end of a page where it has no room (ISO 14289-1, 7.1).
 */
export const openDecoration = (document: PDFDocument): Decoration => {
  const parents = readParents(document);
  const found = new Map<PDFDict, Set<string>>();
  const firstTexts = new Map<PDFDict, string>();

  const pageCount = document.getPageCount();
  const onAllPages = new Map<PDFDict, boolean>();

  const isOnAllPages = (element: PDFDict): boolean => {
    const isOnAll = onAllPages.get(element) ?? (pageCount > 1 && isOnPages(element, pageCount));
    onAllPages.set(element, isOnAll);
    return isOnAll;
  };

  /** What the browser may repeat: the row of the element, or else the element, if it is on all pages. */
  const repeatableOf = (element: PDFDict): PDFDict | null => rowOf(element) ?? (isOnAllPages(element) ? element : null);

  /**
   * The rows and elements with the same text as on an earlier page; elements that are no rows, also at the same place. What
   * continues from an earlier page has other text.
   */
  const repeatedOn = (contents: readonly ElementContent[]): Set<PDFDict> => {
    const textsOnPage = new Map<PDFDict, string>();
    for (const { reference, element, marked } of contents) {
      const repeatable = marked.paints === 'more' ? repeatableOf(element) : null;
      if (!repeatable) continue;
      const text = rowOf(element) ? marked.text() : marked.placedText();
      textsOnPage.set(repeatable, `${textsOnPage.get(repeatable) ?? ''}${String(reference)}${text}`);
    }
    const repeated = new Set<PDFDict>();
    for (const [repeatable, text] of textsOnPage) {
      const first = firstTexts.get(repeatable);
      if (first === undefined) firstTexts.set(repeatable, text);
      else if (first === text) repeated.add(repeatable);
    }
    return repeated;
  };

  const selectOn = (page: PDFPage) => {
    const key = page.node.lookup(name('StructParents'));
    const elements = key instanceof PDFNumber ? parents.get(key.asNumber()) : undefined;
    return (all: readonly MarkedContent[]): MarkedContent[] => {
      const contents = all.flatMap((marked): ElementContent[] => {
        const reference = elements && marked.id < elements.size() ? elements.get(marked.id) : undefined;
        const element = document.context.lookup(reference);
        return element instanceof PDFDict ? [{ reference, element, marked }] : [];
      });
      const repeated = repeatedOn(contents);
      const isDecoration = ({ element, marked }: ElementContent): boolean =>
        ({
          nothing: () => kidsOf(element).length > 1,
          paths: () => decorated.has(roleOf(element)),
          more: () => marked.text() !== '' && repeated.has(repeatableOf(element)!),
        })[marked.paints]();
      const selected = contents.filter(isDecoration);
      for (const { element, marked } of selected) {
        elements!.set(marked.id, PDFNull);
        const keys = found.get(element) ?? new Set();
        found.set(element, keys.add(keyOf(page.ref, marked.id)));
      }
      return selected.map(({ marked }) => marked);
    };
  };
  return {
    selectOn,
    remove: () => {
      for (const [element, keys] of found) removeKids(element, keys);
    },
  };
};
