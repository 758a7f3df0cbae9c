import { type Classification, nothingThatRuns } from './html/classify.ts';

/** A document that the browser can print as it stands. */
export type Prepared = {
  /** Complete document. */
  html: string;
  classification: Classification;
};

/** A converted document: around it is a style sheet of the service, which names fonts. */
export const converted = (html: string, classification: Classification): Prepared => ({ html, classification: { ...classification, needsStabilising: true } });

/** Made here from escaped text alone, so nothing in it runs or fetches. */
export const inert = (html: string, reason: string): Prepared => converted(html, { ...nothingThatRuns, reason });
