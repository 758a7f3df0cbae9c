import { type Classification, scriptFreeClassification } from './html/classify.ts';

export type PreparedDocument = {
  html: string;
  classification: Classification;
};

/** A converted document has a style sheet of the service, which names fonts, so it needs stabilising. */
export const convertedDocument = (html: string, classification: Classification): PreparedDocument => ({
  html,
  classification: { ...classification, needsStabilising: true },
});

/** A document made from escaped text only, which runs and fetches nothing. */
export const scriptFreeDocument = (html: string, reason: string): PreparedDocument =>
  convertedDocument(html, { ...scriptFreeClassification, reason });
