import { type Classification, scriptFreeClassification } from './html/classify.ts';

/** A document that the browser can print as it stands. */
export type PreparedDocument = {
  /** Complete document. */
  html: string;
  classification: Classification;
};

/** A converted document: around it is a style sheet of the service, which names fonts. */
export const convertedDocument = (html: string, classification: Classification): PreparedDocument => ({
  html,
  classification: { ...classification, needsStabilising: true },
});

/** Made here from escaped text alone, so nothing in it runs or fetches. */
export const scriptFreeDocument = (html: string, reason: string): PreparedDocument =>
  convertedDocument(html, { ...scriptFreeClassification, reason });
