import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFRef,
} from '@cantoo/pdf-lib';
import { keyOf, name } from '../names-and-texts.ts';
import { treeNodes } from '../trees.ts';
import { importLimits } from './limits.ts';

/** The named destinations of a document: the old dictionary, and the name tree (ISO 32000-1, 12.3.2.3). */
const readNames = (context: PDFContext, catalog: PDFDict): Map<string, PDFObject> => {
  const found = new Map<string, PDFObject>();
  const old = catalog.lookup(name('Dests'));
  if (old instanceof PDFDict) for (const [key, value] of old.entries()) found.set(key.decodeText(), value);
  const names = catalog.lookup(name('Names'));
  const tree = names instanceof PDFDict ? names.get(name('Dests')) : undefined;
  for (const entries of treeNodes(context, tree, 'Names')) {
    if (found.size > importLimits.destinations) break;
    for (const [key, value] of entries) {
      const text = keyOf(key);
      if (text !== null) found.set(text, value);
    }
  }
  return found;
};

const views: ReadonlySet<string> = new Set(['XYZ', 'Fit', 'FitH', 'FitV', 'FitR', 'FitB', 'FitBH', 'FitBV']);

/** Finds places in the new document. */
export type Destinations = {
  /** The explicit destination for a destination of the source; null if it is no place in the document. */
  resolve: (destination: PDFObject | undefined) => PDFArray | null;
  /** The same for an action: only those that go to a place in the document. */
  ofAction: (action: PDFObject | undefined) => PDFArray | null;
};

/** `pages` are the new pages by the reference of the old ones. */
export const openDestinations = (
  { context: from, catalog }: { context: PDFContext; catalog: PDFDict },
  to: PDFContext,
  pages: ReadonlyMap<string, PDFRef>,
): Destinations => {
  let named: Map<string, PDFObject> | null = null;
  const inOrder = [...pages.values()];
  const pageOf = (value: PDFObject | undefined): PDFRef | undefined =>
    value instanceof PDFRef ? pages.get(value.tag) : value instanceof PDFNumber ? inOrder[value.asNumber()] : undefined;

  const explicit = (value: PDFObject | undefined): PDFArray | null => {
    const found = from.lookup(value);
    const array = found instanceof PDFDict ? found.lookup(name('D')) : found;
    if (!(array instanceof PDFArray) || array.size() < 2 || array.size() > 6) return null;
    const page = pageOf(array.get(0));
    const view = array.lookup(1);
    if (!page || !(view instanceof PDFName) || !views.has(view.decodeText())) return null;
    const numbers = Array.from({ length: array.size() - 2 }, (_, at) => {
      const number = array.lookup(at + 2);
      return number instanceof PDFNumber ? number : PDFNull;
    });
    return to.obj([page, view, ...numbers]);
  };

  const resolve = (destination: PDFObject | undefined): PDFArray | null => {
    const key = keyOf(from.lookup(destination));
    if (key === null) return explicit(destination);
    named ??= readNames(from, catalog);
    return explicit(named.get(key));
  };

  return {
    resolve,
    ofAction: (value) => {
      const action = from.lookup(value);
      return action instanceof PDFDict && action.lookup(name('S')) === name('GoTo')
        ? resolve(action.get(name('D')))
        : null;
    },
  };
};
