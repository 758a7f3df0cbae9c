import { PDFArray, PDFDict, type PDFDocument, PDFName, type PDFObject, type PDFRef } from '@cantoo/pdf-lib';
import { name } from './names-and-texts.ts';

/** A structure element (ISO 32000-1, 14.7.2). */
export type StructureElement = { reference: PDFRef; dictionary: PDFDict; role: string; children: StructureElement[] };

/** Gives an element another role. */
export const setRole = (element: StructureElement, role: string): void => {
  element.role = role;
  element.dictionary.set(name('S'), name(role));
};

/** The kids of an element: elements, or marked content. */
export const kidsOf = (dictionary: PDFDict): PDFObject[] => {
  const kids = dictionary.lookup(name('K'));
  return kids instanceof PDFArray ? kids.asArray() : kids === undefined ? [] : [dictionary.get(name('K'))!];
};

const readElement = (document: PDFDocument, reference: PDFRef): StructureElement | null => {
  const dictionary = document.context.lookup(reference);
  if (!(dictionary instanceof PDFDict) || !dictionary.has(name('S'))) return null;
  const role = dictionary.lookup(name('S'), PDFName).decodeText();
  return { reference, dictionary, role, children: [] };
};

/** Reads the structure tree without recursion, since callers decide how deep it is. An element that occurs again is left out. */
export const readTree = (document: PDFDocument, root: PDFDict): StructureElement[] => {
  const top: StructureElement[] = [];
  const seen = new Set<PDFObject>();
  const pending: { dictionary: PDFDict; into: StructureElement[] }[] = [{ dictionary: root, into: top }];
  for (let next = pending.pop(); next; next = pending.pop())
    for (const kid of kidsOf(next.dictionary)) {
      const element = kid instanceof PDFDict ? null : readElement(document, kid as PDFRef);
      if (!element || seen.has(kid)) continue;
      seen.add(kid);
      next.into.push(element);
      pending.push({ dictionary: element.dictionary, into: element.children });
    }
  return top;
};

/** The dictionaries of attributes of an element. */
export const attributesOf = ({ dictionary }: Pick<StructureElement, 'dictionary'>): PDFDict[] => {
  const attributes = dictionary.lookup(name('A'));
  const list = attributes instanceof PDFArray ? attributes.asArray() : attributes ? [attributes] : [];
  return list.map((one) => dictionary.context.lookup(one)).filter((one) => one instanceof PDFDict);
};
