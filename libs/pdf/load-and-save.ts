import { ParseSpeeds, PDFDocument } from '@cantoo/pdf-lib';

// A worker process has one task at a time, so pdf-lib does not need to pause for others.

/** Parses a PDF and changes nothing in it. @throws an error of pdf-lib if it cannot be read */
export const loadPdf = (pdf: Uint8Array): Promise<PDFDocument> =>
  PDFDocument.load(pdf, { updateMetadata: false, parseSpeed: ParseSpeeds.Fastest });

/** The bytes of a document as it is, without object streams. */
export const savePdf = (document: PDFDocument): Promise<Uint8Array> =>
  document.save({
    useObjectStreams: false,
    updateFieldAppearances: false,
    addDefaultPage: false,
    objectsPerTick: Infinity,
  });
