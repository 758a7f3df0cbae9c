import { defaultThumbnailWidth } from '#contracts/http/output.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import { type ElapsedTimes, runWithinDeadline } from './deadline.ts';
import type { InputDependencies, RenderRequestedData } from './load-inputs.ts';
import type { RenderedFiles } from './rendered-files.ts';

export type FinishedPdf = { pdf: Uint8Array; options: RenderOptions; requestedAt: Date };

const thumbnailWidthOf = ({ thumbnail }: RenderOptions): number | null => {
  if (thumbnail === undefined || thumbnail === false) return null;
  return thumbnail === true ? defaultThumbnailWidth : thumbnail.width;
};

/**
 * The files that the options ask for: the finished PDF, with a thumbnail or not, or its pages as images. A PDF alone
 * is returned as it is.
 * @throws ApiError image_too_large, output_too_large, conversion_failed
 */
export const drawOutput = async (
  { preparation }: Pick<InputDependencies, 'preparation'>,
  requested: RenderRequestedData,
  elapsed: ElapsedTimes,
  { pdf, options, requestedAt }: FinishedPdf,
): Promise<RenderedFiles> => {
  const { output, dpi, quality, transparent } = options;
  if (output !== 'pdf') {
    const { maxPdfBytes: maxBytes } = requested.limits;
    const input = { pdf, output, dpi, quality, transparent, maxBytes, requestedAt: requestedAt.toISOString() };
    const { file, contentType, engine } = await runWithinDeadline(requested, elapsed, (limits) =>
      preparation.drawPages(input, limits),
    );
    return { pdf: file, contentType, drawingEngine: engine };
  }
  const width = thumbnailWidthOf(options);
  if (width === null) return { pdf };
  const { file: thumbnail, engine } = await runWithinDeadline(requested, elapsed, (limits) =>
    preparation.drawThumbnail({ pdf, width }, limits),
  );
  return { pdf, thumbnail, drawingEngine: engine };
};
