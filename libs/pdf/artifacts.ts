import { PDFDict, type PDFDocument, type PDFObject, PDFRawStream, type PDFRef } from '@cantoo/pdf-lib';
import { hasStructure, markArtifacts } from './content-stream.ts';
import { openDecoration } from './decoration.ts';
import { name } from './names-and-texts.ts';
import { contentOf, pageContent, withContent } from './streams.ts';

/**
 * Marks what the structure tree does not contain as artifacts, on all pages and in the forms that they draw: header,
 * footer, backgrounds and borders (ISO 14289-1, 7.1). What is only decoration is taken out of the tree.
 */
export const markPageArtifacts = (document: PDFDocument): void => {
  const { context } = document;
  const known = new Map<PDFObject, boolean>();

  /** Whether an XObject has marked content. If it has, the rest of it is marked, too. */
  const isMarkedIn = (dictionary: PDFDict): ((xObject: string) => boolean) => {
    const xObjects = dictionary.lookupMaybe(name('Resources'), PDFDict)?.lookupMaybe(name('XObject'), PDFDict);
    return (xObject) => {
      const reference = xObjects?.get(name(xObject));
      if (!reference) return false;
      const before = known.get(reference);
      if (before !== undefined) return before;
      known.set(reference, false);
      const form = context.lookup(reference);
      if (!(form instanceof PDFRawStream) || form.dict.get(name('Subtype')) !== name('Form')) return false;
      const content = contentOf(form);
      const isMarkedInside = isMarkedIn(form.dict);
      const drawn = [...content.matchAll(/\/(\S+) Do\b/g)].map(([, inner]) => isMarkedInside(inner!));
      const isMarked = hasStructure(content) || drawn.includes(true);
      known.set(reference, isMarked);
      if (isMarked)
        context.assign(reference as PDFRef, withContent(document, form, markArtifacts(content, isMarkedInside)));
      return isMarked;
    };
  };

  const decoration = openDecoration(document);
  for (const page of document.getPages()) {
    const marked = markArtifacts(pageContent(page), isMarkedIn(page.node), decoration.isOn(page));
    page.node.set(name('Contents'), context.register(context.flateStream(Buffer.from(marked, 'latin1'))));
  }
  decoration.remove();
};
