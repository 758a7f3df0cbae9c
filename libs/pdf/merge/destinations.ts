import { PDFArray, PDFDict, type PDFDocument, PDFName, type PDFObject } from '@cantoo/pdf-lib';
import { shortName } from '../destination-names.ts';
import { keyOf, name, textOf } from '../names-and-texts.ts';
import { treeNodes } from '../trees.ts';
import { finalReference } from './object-copier.ts';

/** The array of a destination: the page and where on it. */
const arrayOf = (document: PDFDocument, value: PDFObject | undefined): PDFArray | null => {
  const found = value && document.context.lookup(value);
  const array = found instanceof PDFDict ? found.lookup(name('D')) : found;
  return array instanceof PDFArray && array.size() > 0 ? array : null;
};

/** The named destinations of a PDF, of both kinds (ISO 32000-1, 12.3.2.3). */
export const readNamedDestinations = (document: PDFDocument): Map<string, PDFArray> => {
  const { catalog } = document;
  const found = new Map<string, PDFArray>();
  const add = (key: string, value: PDFObject): void => {
    const array = arrayOf(document, value);
    if (array) found.set(key, array);
  };
  const dictionary = catalog.lookup(name('Dests'));
  if (dictionary instanceof PDFDict) for (const [key, value] of dictionary.entries()) add(key.decodeText(), value);
  const names = catalog.lookup(name('Names'));
  const tree = names instanceof PDFDict ? names.get(name('Dests')) : undefined;
  for (const entries of treeNodes(document.context, tree, 'Names'))
    for (const [key, value] of entries) {
      const text = keyOf(key);
      if (text !== null) add(text, value);
    }
  return found;
};

const decoded = (key: string): string => {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
};

/** Some PDFs have the names of destinations as texts, others as in URLs, where a link always has them. */
const asInUrls = (key: string): string => encodeURI(decoded(key).toWellFormed());

/** The name of a destination in the whole document, which no other part has. */
export const uniqueName = (part: string, key: string): string => shortName(`part${part}.${asInUrls(key)}`);

const toPart = /^part:([^#]*)(?:#(.*))?$/s;

/** Whether a URI leads to a part of a composed document. It is replaced by a destination when the parts are merged. */
export const leadsToPart = (uri: string): boolean => toPart.test(uri);

/**
 * `part` is the id of the part; `firstPages` has the number of the object of the first page of each part, by its id.
 * `onBrokenLink` gets each link to a part that does not exist, which is removed.
 */
export type PartLinks = {
  part: string;
  firstPages: ReadonlyMap<string, number>;
  onBrokenLink: (link: string) => void;
};

/** A destination at the top of a page of the whole document. */
export const topOfPage = ({ context }: PDFDocument, page: number): PDFArray =>
  context.obj([finalReference(page), name('XYZ'), null, null, null]);

/** The destination that replaces a link, an outline item or an action; null for one that goes elsewhere. */
const newDestination = (
  document: PDFDocument,
  value: PDFObject | undefined,
  known: ReadonlyMap<string, PDFArray>,
  { part }: PartLinks,
): PDFObject | null => {
  const found = value && document.context.lookup(value);
  if (found instanceof PDFArray) return found;
  const key = keyOf(found);
  return key !== null && known.has(key) ? name(uniqueName(part, key)) : null;
};

const destinationOfUri = (document: PDFDocument, uri: string, { firstPages }: PartLinks): PDFObject | null => {
  const [, id, key] = toPart.exec(uri) ?? [];
  const page = id === undefined ? undefined : firstPages.get(id);
  if (page === undefined) return null;
  return key ? name(uniqueName(id!, key)) : topOfPage(document, page);
};

/**
 * Makes links and outline items of a part go to the same places in the whole document. A link to `part:3` goes to the
 * part with this id, and `part:3#name` to a named destination of it. `requireName` gets each such name
 * with the id of its part.
 */
export const moveDestinations = (
  document: PDFDocument,
  owner: PDFDict,
  known: ReadonlyMap<string, PDFArray>,
  links: PartLinks,
  requireName: (name: string, part: string) => void,
): void => {
  if (owner.has(name('Dest'))) {
    const destination = newDestination(document, owner.get(name('Dest')), known, links);
    if (destination) owner.set(name('Dest'), destination);
    else owner.delete(name('Dest'));
  }
  const action = owner.lookup(name('A'));
  if (!(action instanceof PDFDict)) return;
  const kind = action.lookup(name('S'));
  const uri = kind === name('URI') ? textOf(action.lookup(name('URI'))) : null;
  const destination =
    kind === name('GoTo')
      ? newDestination(document, action.get(name('D')), known, links)
      : uri === null
        ? null
        : destinationOfUri(document, uri, links);
  if (destination) {
    owner.delete(name('A'));
    owner.set(name('Dest'), destination);
    if (uri !== null && destination instanceof PDFName) requireName(destination.decodeText(), toPart.exec(uri)![1]!);
  } else if (kind === name('GoTo')) owner.delete(name('A'));
  else if (uri !== null && leadsToPart(uri)) {
    // A viewer would ask the system to open it.
    owner.delete(name('A'));
    links.onBrokenLink(uri);
  }
};
