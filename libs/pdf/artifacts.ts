import { PDFDict, type PDFDocument, type PDFObject, PDFRawStream, type PDFRef } from '@cantoo/pdf-lib';
import { hasStructure, markArtifacts, withoutMarks } from './content-stream.ts';
import { openDecoration } from './decoration.ts';
import { name } from './names-and-texts.ts';
import { contentOf, pageContent, withContent } from './streams.ts';

const xObjectsOf = (dictionary: PDFDict): PDFDict | undefined =>
  dictionary.lookupMaybe(name('Resources'), PDFDict)?.lookupMaybe(name('XObject'), PDFDict);

/** The name of an XObject among others, which gets one like `similar` if it has none. */
const nameIn = (xObjects: PDFDict, reference: PDFRef, similar: string): string => {
  for (let count = 2; ; count += 1) {
    const candidate = `${similar}n${count}`;
    const known = xObjects.get(name(candidate));
    if (known && known !== reference) continue;
    xObjects.set(name(candidate), reference);
    return candidate;
  }
};

/**
 * Returns a function that tells for a page or a form how to draw an XObject of it as an artifact: by its name, or by
 * that of a copy; null if the XObject has content of the structure, whose other content is then marked, too.
 */
const openForms = (document: PDFDocument): ((dictionary: PDFDict) => (xObject: string) => string | null) => {
  const { context } = document;
  const known = new Map<PDFObject, boolean>();
  const drawn = new Set<PDFObject>();
  const copies = new Map<PDFObject, PDFRef>();

  const hasMarks = (reference: PDFObject): boolean => {
    const before = known.get(reference);
    if (before !== undefined) return before;
    known.set(reference, false);
    const form = context.lookup(reference);
    if (!(form instanceof PDFRawStream) || form.dict.get(name('Subtype')) !== name('Form')) return false;
    const content = contentOf(form);
    const xObjects = xObjectsOf(form.dict);
    const inner = [...content.matchAll(/\/(\S+) Do\b/g)].flatMap(([, one]) => xObjects?.get(name(one!)) ?? []);
    const isMarked = inner.map(hasMarks).includes(true) || hasStructure(content);
    known.set(reference, isMarked);
    if (isMarked)
      context.assign(reference as PDFRef, withContent(document, form, markArtifacts(content, artifactsOf(form.dict))));
    return isMarked;
  };

  /** A form like another, of which nothing belongs to the structure. */
  const copyOf = (reference: PDFObject): PDFRef => {
    const before = copies.get(reference);
    if (before) return before;
    const copy = context.nextRef();
    copies.set(reference, copy);
    const form = context.lookup(reference) as PDFRawStream;
    const stream = withContent(document, form, withoutMarks(contentOf(form)));
    stream.dict.delete(name('StructParents'));
    const resources = form.dict.lookupMaybe(name('Resources'), PDFDict)?.clone(context);
    const xObjects = xObjectsOf(form.dict)?.clone(context);
    for (const [key, inner] of xObjects?.entries() ?? []) if (hasMarks(inner)) xObjects!.set(key, copyOf(inner));
    if (resources && xObjects) resources.set(name('XObject'), xObjects);
    if (resources) stream.dict.set(name('Resources'), resources);
    context.assign(copy, stream);
    return copy;
  };

  const artifactsOf = (dictionary: PDFDict) => {
    const xObjects = xObjectsOf(dictionary);
    return (xObject: string): string | null => {
      const reference = xObjects?.get(name(xObject));
      if (!xObjects || !reference || !hasMarks(reference)) return xObject;
      // The browser draws what has a mask twice, but content of the structure is there once (ISO 14289-1, 7.20).
      if (drawn.has(reference)) return nameIn(xObjects, copyOf(reference), xObject);
      drawn.add(reference);
      return null;
    };
  };
  return artifactsOf;
};

/**
 * Marks what the structure tree does not contain as artifacts, on all pages and in the forms that they draw: header,
 * footer, backgrounds and borders (ISO 14289-1, 7.1). What is only decoration is taken out of the tree.
 */
export const markPageArtifacts = (document: PDFDocument): void => {
  const { context } = document;
  const artifactsOf = openForms(document);
  const decoration = openDecoration(document);
  for (const page of document.getPages()) {
    const marked = markArtifacts(pageContent(page), artifactsOf(page.node), decoration.selectOn(page));
    page.node.set(name('Contents'), context.register(context.flateStream(Buffer.from(marked, 'latin1'))));
  }
  decoration.remove();
};
