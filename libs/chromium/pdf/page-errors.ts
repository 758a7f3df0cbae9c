import { ApiError } from '#contracts/http/api-error.ts';

/** None of the pages of `page_ranges` is in the document. */
export const noPagesInRangesError = (ranges: string, pages: number): ApiError =>
  ApiError.of(
    'conversion_failed',
    `The document has ${pages === 1 ? '1 page' : `${pages} pages`}; page_ranges "${ranges}" has none of them.`,
    { field: 'page_ranges', details: { reason: 'no_pages_in_ranges', page_ranges: ranges, pages } },
  );

/** `maxPages` is null for no limit. @throws ApiError conversion_failed for more pages */
export const requirePages = (pages: number, maxPages: number | null): void => {
  if (maxPages !== null && pages > maxPages)
    throw ApiError.of('conversion_failed', `The document has ${pages} pages; ${maxPages} are allowed.`, {
      details: { pages, limit: maxPages },
    });
};
