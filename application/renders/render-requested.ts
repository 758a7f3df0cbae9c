import { isComposed, renderComposed } from './compose/render-composed.ts';
import type { RenderRequestedData } from './load-inputs.ts';
import { type RenderedPdf, renderPdf, type RenderPdfDependencies, type RenderPdfOptions } from './render-pdf.ts';

/** Renders the PDF of a RenderRequested event: a document, or one that is composed of parts. @throws like `renderPdf` */
export const renderRequested = (
  dependencies: RenderPdfDependencies,
  requested: RenderRequestedData,
  requestedAt: Date,
  options: RenderPdfOptions = {},
): Promise<RenderedPdf> =>
  isComposed(requested)
    ? renderComposed(dependencies, requested, requestedAt, options)
    : renderPdf(dependencies, requested, requestedAt, options);
