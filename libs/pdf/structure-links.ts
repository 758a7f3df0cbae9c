import { PDFArray, PDFDict, type PDFDocument, PDFNumber, type PDFObject } from '@cantoo/pdf-lib';
import { name } from './names-and-texts.ts';
import { kidsOf, setRole, type StructureElement } from './structure-tree.ts';

/** What says no more than that there is content, or that is a link in truth: a button that opens a URL. */
const weakRoles: ReadonlySet<string> = new Set(['NonStruct', 'Span', 'Form', 'Div']);
/** Elements that contain nothing but certain other elements. */
const partedRoles: ReadonlySet<string> = new Set(['Table', 'THead', 'TBody', 'TFoot', 'TR', 'L']);

/** The annotation of a kid that is the place of a link in the structure (ISO 32000-1, 14.7.4.3). */
const linkOf = ({ context }: PDFDocument, kid: PDFObject): PDFDict | null => {
  const place = context.lookup(kid);
  const annotation = place instanceof PDFDict ? place.lookup(name('Obj')) : undefined;
  return annotation instanceof PDFDict && annotation.lookup(name('Subtype')) === name('Link') ? annotation : null;
};

const numbersOf = (document: PDFDocument): PDFArray | undefined =>
  document.catalog
    .lookupMaybe(name('StructTreeRoot'), PDFDict)
    ?.lookupMaybe(name('ParentTree'), PDFDict)
    ?.lookupMaybe(name('Nums'), PDFArray);

/** The places of the values in the parent tree, by their keys. */
const readPlaces = (numbers: PDFArray | undefined): Map<number, number> => {
  const places = new Map<number, number>();
  for (let at = 0; numbers && at + 1 < numbers.size(); at += 2) {
    const key = numbers.lookup(at);
    if (key instanceof PDFNumber) places.set(key.asNumber(), at + 1);
  }
  return places;
};

/** A new link of an element, without kids. */
const newLink = ({ context }: PDFDocument, parent: StructureElement): StructureElement => {
  const dictionary = context.obj({ Type: 'StructElem', S: 'Link', P: parent.reference });
  const page = parent.dictionary.get(name('Pg'));
  if (page) dictionary.set(name('Pg'), page);
  return { reference: context.register(dictionary), dictionary, role: 'Link', children: [] };
};

/** The element itself, or the first in it that may contain a link. */
const placeForLink = (element: StructureElement): StructureElement => {
  let place = element;
  while (partedRoles.has(place.role) && place.children[0]) [place] = place.children as [StructureElement];
  return place;
};

/**
 * Returns a function that puts the links of an element that is no link into link elements: HTML gives `<a>` other roles,
 * and drawings have links, too (ISO 14289-1, 7.18.5).
 */
export const openLinks = (document: PDFDocument): ((element: StructureElement) => void) => {
  const { context } = document;
  const numbers = numbersOf(document);
  let places: Map<number, number> | null = null;

  const setParent = (kid: PDFObject, link: StructureElement): void => {
    places ??= readPlaces(numbers);
    const key = linkOf(document, kid)?.lookup(name('StructParent'));
    const place = key instanceof PDFNumber ? places.get(key.asNumber()) : undefined;
    if (place !== undefined) numbers?.set(place, link.reference);
  };

  /** Moves kids of an element into new links in it: each into its own, or all into the first. */
  const wrap = (element: StructureElement, inside: ReadonlySet<PDFObject>, isEach: boolean): void => {
    const byReference = new Map(element.children.map((child) => [child.reference.toString(), child]));
    const links: { link: StructureElement; kids: PDFObject[] }[] = [];
    const left: PDFObject[] = [];
    for (const kid of kidsOf(element.dictionary)) {
      if (!inside.has(kid)) {
        left.push(kid);
        continue;
      }
      if (isEach || links.length === 0) {
        links.push({ link: newLink(document, element), kids: [] });
        left.push(links.at(-1)!.link.reference);
      }
      const { link, kids } = links.at(-1)!;
      kids.push(kid);
      setParent(kid, link);
      const child = byReference.get(kid.toString());
      if (!child) continue;
      child.dictionary.set(name('P'), link.reference);
      link.children.push(child);
      byReference.delete(kid.toString());
    }
    for (const { link, kids } of links) link.dictionary.set(name('K'), context.obj(kids));
    element.dictionary.set(name('K'), context.obj(left));
    element.children = [...links.map(({ link }) => link), ...byReference.values()];
  };

  return (element) => {
    const kids = element.role === 'Link' ? [] : kidsOf(element.dictionary);
    const links = new Set(kids.filter((kid) => linkOf(document, kid)));
    if (links.size === 0) return;
    const { children, role } = element;
    if (weakRoles.has(role)) setRole(element, 'Link');
    else if (children.length === 0) wrap(element, links, true);
    else if (!partedRoles.has(role)) {
      // References are the same objects in kids and elements.
      wrap(element, new Set([...links, ...children.map(({ reference }) => reference)]), false);
    } else {
      const place = placeForLink(element);
      element.dictionary.set(name('K'), context.obj(kids.filter((kid) => !links.has(kid))));
      place.dictionary.set(name('K'), context.obj([...kidsOf(place.dictionary), ...links]));
      wrap(place, links, false);
    }
  };
};

/** Adds links of header and footer, which the browser leaves out, at the end of the structure. */
export const addMissingLinks = (document: PDFDocument, [top]: readonly StructureElement[]): void => {
  const { context } = document;
  const numbers = numbersOf(document);
  if (!numbers || !top) return;
  const added: PDFObject[] = [];
  for (const page of document.getPages())
    for (const reference of page.node.Annots()?.asArray() ?? []) {
      const annotation = context.lookup(reference, PDFDict);
      if (annotation.has(name('StructParent'))) continue;
      const key = numbers.size() / 2;
      const place = context.obj({ Type: 'OBJR', Pg: page.ref });
      place.set(name('Obj'), reference);
      const link = context.obj({ Type: 'StructElem', S: 'Link', P: top.reference, Pg: page.ref, K: [place] });
      const linkReference = context.register(link);
      numbers.push(context.obj(key));
      numbers.push(linkReference);
      annotation.set(name('StructParent'), context.obj(key));
      added.push(linkReference);
    }
  // All at once: the whole list is written again.
  if (added.length > 0) top.dictionary.set(name('K'), context.obj([...kidsOf(top.dictionary), ...added]));
};
