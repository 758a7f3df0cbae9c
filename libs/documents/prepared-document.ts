import type { DocumentMetadata } from '#contracts/http/pdf-metadata.ts';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { NamedRenderOptions } from '#contracts/http/render-options.ts';
import type { OfficeFormat } from '#libs/office/port.ts';
import type { AssetUse } from './assets/inline.ts';
import { type Classification, scriptFreeClassification } from './html/classify.ts';

/** A checked file for LibreOffice, which lays it out. */
export type OfficeDocument = { file: Uint8Array; format: OfficeFormat };

export type PreparedDocument = {
  html: string;
  classification: Classification;
  /** Absent if it refers to no file outside. */
  assets?: AssetUse;
  /** The render options that the document names. Those of the request and the template win. */
  options?: NamedRenderOptions;
  /** Present if LibreOffice lays the document out; the HTML is then empty. */
  office?: OfficeDocument;
  warnings?: RenderWarning[];
  /** What it says about itself. Absent if it says nothing. */
  metadata?: DocumentMetadata;
  /** Present if it does not name its language and no script can. */
  lacksLanguage?: true;
};

/**
 * A converted document has a style sheet of the service. It names fonts, so the document needs stabilising, and has
 * negative lengths and both directions of text. `classification` is that of the content.
 */
export const convertedDocument = (html: string, classification: Classification): PreparedDocument => ({
  html,
  classification: {
    ...classification,
    needsStabilising: true,
    waysToLoseContent: classification.waysToLoseContent === 'other' ? 'other' : 'outside',
  },
});

/** A document made from escaped text only, which runs and fetches nothing. */
export const scriptFreeDocument = (html: string, reason: string): PreparedDocument =>
  convertedDocument(html, { ...scriptFreeClassification, reason });
