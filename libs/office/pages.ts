import { countPages } from '#libs/chromium/pdf/objects.ts';

/** The number of pages of LibreOffice's PDF. Newer versions pack the objects, so that the PDF must be read as a whole. */
export const pagesOf = async (pdf: Buffer): Promise<number> => {
  try {
    const pages = countPages(pdf);
    if (Number.isSafeInteger(pages) && pages > 0) return pages;
  } catch {
    // The objects are packed.
  }
  // Loaded only when needed: loading takes longer than counting.
  const { PDFDocument } = await import('@cantoo/pdf-lib');
  return (await PDFDocument.load(pdf, { updateMetadata: false })).getPageCount();
};
