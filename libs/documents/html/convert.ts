import { ApiError } from '#contracts/http/api-error.ts';
import { type Budget, unlimitedBudget } from '../budget.ts';
import { inputError } from '../input.ts';
import type { PreparedDocument } from '../prepared-document.ts';
import { classify, type HtmlDetails } from './classify.ts';

/** Of the base so many characters, read once more for each picture, take as long as the HTML parser takes to make an element. */
const baseCharactersPerUnit = 1_000;

/**
 * Refuses pictures that can never load, and more distinct external ones than allowed.
 * @param maxImages null where there is no limit
 * @param budget spent by what it takes to read each address with the base of them all
 */
export const checkImages = (
  { images, baseUrl }: HtmlDetails,
  maxImages: number | null,
  budget: Budget = unlimitedBudget,
): void => {
  const distinct = new Set<string>();
  const unitsPerPicture = (baseUrl?.length ?? 0) / baseCharactersPerUnit;
  for (const { url: address, line } of images) {
    budget.spend(unitsPerPicture);
    const url = resolveUrl(address, baseUrl);
    if (url === undefined || !/^https?:$/.test(url.protocol)) throw unloadableImageError(address, line, url);
    distinct.add(withoutFragment(url));
  }
  if (maxImages !== null && distinct.size > maxImages) throw tooManyImagesError(distinct.size, maxImages);
};

const resolveUrl = (address: string, base: string | undefined): URL | undefined =>
  URL.parse(address, base) ?? undefined;

const withoutFragment = (url: URL): string => {
  url.hash = '';
  return url.href;
};

const truncateForMessage = (address: string): string => (address.length > 300 ? `${address.slice(0, 300)}…` : address);

const unloadableImageError = (address: string, line: number, url: URL | undefined) => {
  const why = url
    ? `${url.protocol} addresses are not fetched`
    : 'the address is relative, and the document has no address of its own that it could be relative to';
  const reason = `${why}; send an absolute http: or https: address, or the image itself as a data: URI`;
  return ApiError.of(
    'image_load_failed',
    `The image "${truncateForMessage(address)}" on line ${line} cannot be loaded: ${reason}.`,
    { image_url: truncateForMessage(address), reason },
  );
};

const tooManyImagesError = (images: number, limit: number) =>
  ApiError.of(
    'conversion_failed',
    `The document has ${images} different external images; at most ${limit} are allowed. Embed images as data: URIs, or use fewer.`,
    { details: { images, limit } },
  );

/** HTML as it was sent, if nothing of it would be lost. Throws a Problem otherwise, and what `budget` throws. */
export const prepareHtml = (
  html: string,
  maxImages: number | null,
  budget: Budget = unlimitedBudget,
): PreparedDocument => {
  const { classification, details } = classify(html, budget);
  const { unfinished } = details;
  if (unfinished)
    throw inputError(
      'html',
      `The HTML ends inside ${unfinished.inside} that begins on line ${unfinished.line}; everything after that would be lost.`,
      { details: `unfinished: ${unfinished.inside}`, line: unfinished.line },
    );
  checkImages(details, maxImages, budget);
  return { html, classification };
};
