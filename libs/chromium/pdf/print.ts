import { ApiError } from '#contracts/http/api-error.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import { maxResponseBytes } from '../cdp/connection.ts';
import { ResponseTooLarge, CommandFailed } from '../cdp/errors.ts';
import type { Page } from '../browsers/page.ts';
import { readHeadingTexts } from './heading-texts.ts';
import { countPages, renumberElementIds, setPdfDates } from './objects.ts';
import { withHeadingTitles } from './outline-titles.ts';
import { noPagesInRangesError, requirePages } from './page-errors.ts';
import type { PageGeometry } from './page-geometry.ts';
import { isTagged, printParameters, type HeaderFooterTemplates } from './parameters.ts';
import { printToPdf } from './print-to-pdf.ts';
import type { PrintRequest } from '../print-request.ts';

const base64SizeMb = (base64Bytes: number): number => Math.round((base64Bytes * 75) / 2 ** 20) / 100;

const isRangeError = (error: unknown): boolean => error instanceof CommandFailed && /page range/i.test(error.message);

const rethrowPrintError = (error: unknown): never => {
  if (error instanceof ResponseTooLarge) {
    const sizes = {
      max_size_mb: Math.floor(base64SizeMb(maxResponseBytes)),
      generated_size_mb: base64SizeMb(error.bytes),
    };
    throw ApiError.of(
      'pdf_too_large',
      `The PDF has ${sizes.generated_size_mb} MB; no PDF may have more than ${sizes.max_size_mb} MB.`,
      sizes,
    );
  }
  if (error instanceof CommandFailed && /print parameters|content area|page size|margin/i.test(error.message))
    throw ApiError.of('conversion_failed', 'Margins, header and footer leave no room for the text.', {
      details: { reason: 'no_room' },
    });
  throw error;
};

/** `printed` is the PDF as the browser printed it, without header and footer that it cannot print. */
export type PrintedDocument = { pdf: Buffer; printed: Buffer; pages: number };

/**
 * Prints the loaded document. The bytes of `pdf` depend only on the document, the options and the browser's version.
 * @throws ApiError conversion_failed if there are too many pages
 */
export const printPage = async (
  { session }: Page,
  { options, requestedAt, limits }: PrintRequest,
  templates: HeaderFooterTemplates,
  geometry: PageGeometry,
): Promise<PrintedDocument> => {
  const { page_ranges: ranges, ...allPages } = options;
  const headings = options.outline ? await readHeadingTexts(session) : [];
  const print = async (printed: RenderOptions): Promise<Buffer> =>
    printToPdf(session, printParameters(printed, templates, geometry)).catch(rethrowPrintError);
  const printed = await print(options).catch(async (error: unknown): Promise<never> => {
    throw isRangeError(error) ? noPagesInRangesError(ranges!, countPages(await print(allPages))) : error;
  });
  const pages = countPages(printed);
  requirePages(pages, limits.maxPages);
  const whole = templates.overlay && ranges !== undefined ? await print(allPages) : printed;
  const overlaid = templates.overlay ? await templates.overlay(printed, whole) : printed;
  const pdf = headings.length === 0 ? overlaid : withHeadingTitles(overlaid, headings);
  if (isTagged(options)) renumberElementIds(pdf);
  setPdfDates(pdf, requestedAt);
  return { pdf, printed, pages };
};
