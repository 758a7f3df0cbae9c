import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { relativeUrlReason } from '../assets/asset-names.ts';
import { type AssetInliner, type AssetUse, createAssetInliner } from '../assets/inline.ts';
import { type Budget, unlimitedBudget } from '../budget.ts';
import { inputError } from '../input.ts';
import type { PreparedDocument } from '../prepared-document.ts';
import { classify, type HtmlDetails } from './classify.ts';
import { mentionsPagedMediaScript, withoutOwnCounters } from './ignored-css.ts';
import { metadataMember } from './meta-elements.ts';

/** Resolving a URL against a base of this length takes as long as the HTML parser takes for one element. */
const baseCharactersPerUnit = 1_000;

/**
 * Refuses images that can never load, and too many different external images.
 * @param maxImages null for no limit
 * @param budget spent for resolving each URL against the base
 * @throws ApiError
 */
export const checkImages = (
  { images, brokenImage, baseUrl }: HtmlDetails,
  maxImages: number | null,
  budget: Budget = unlimitedBudget,
  assets?: Pick<AssetInliner, 'describeMissing'>,
): void => {
  if (brokenImage) throw imageError(truncateForMessage(brokenImage.url, 60), brokenImage.line, brokenImage.reason);
  const distinct = new Set<string>();
  const unitsPerImage = (baseUrl?.length ?? 0) / baseCharactersPerUnit;
  for (const { url: source, line } of images) {
    budget.spend(unitsPerImage);
    const url = URL.parse(source, baseUrl);
    if (url === null || !/^https?:$/.test(url.protocol)) throw unloadableImageError(source, line, url, assets);
    distinct.add(withoutFragment(url));
  }
  if (maxImages !== null && distinct.size > maxImages) throw tooManyImagesError(distinct.size, maxImages);
};

const withoutFragment = (url: URL): string => {
  url.hash = '';
  return url.href;
};

const truncateForMessage = (text: string, length = 300): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;

const absoluteImage = 'send an absolute http: or https: URL, or the image itself as a data: URI';

const unloadableImageError = (
  source: string,
  line: number | undefined,
  url: URL | null,
  assets: Pick<AssetInliner, 'describeMissing'> | undefined,
) => {
  const reason = url
    ? `${url.protocol} URLs are not fetched; ${absoluteImage}`
    : /^https?:/i.test(source)
      ? `the URL is not valid; ${absoluteImage}`
      : (assets?.describeMissing(source) ?? relativeUrlReason);
  return imageError(truncateForMessage(source), line, reason);
};

const imageError = (url: string, line: number | undefined, reason: string): ApiError =>
  ApiError.of(
    'image_load_failed',
    `The image "${url}"${line === undefined ? '' : ` on line ${line}`} cannot be loaded: ${reason}.`,
    { image_url: url, reason },
  );

const tooManyImagesError = (images: number, limit: number) =>
  ApiError.of(
    'conversion_failed',
    `The document has ${images} different external images; at most ${limit} are allowed. ` +
      'Embed images as data: URIs, or use fewer.',
    { details: { images, limit } },
  );

/** A parse takes as long for this number of characters as for an element. */
const charactersPerUnit = 10;

/**
 * The relative URLs of style sheets, fonts and scripts in a request without assets, which lead nowhere. Documents that
 * refer to nothing outside are not parsed again.
 */
export const missingResources = (
  html: string,
  { classification, details }: ReturnType<typeof classify>,
  budget: Budget = unlimitedBudget,
): { assets?: AssetUse } => {
  const { baseUrl } = details;
  if (!classification.external || (baseUrl !== undefined && URL.canParse(baseUrl))) return {};
  budget.spend(html.length / charactersPerUnit);
  const inliner = createAssetInliner(new Uint8Array());
  inliner.inline(html);
  return { assets: inliner.use() };
};

/** Warnings about images of data: URLs of which a browser shows only the beginning. */
export const warningsOfImages = (truncatedImages: HtmlDetails['truncatedImages']): RenderWarning[] =>
  truncatedImages.map(({ url, line, reason }) => {
    const where = line === undefined ? '' : ` (line ${line})`;
    return { kind: 'resource_failed', url: truncateForMessage(url, 60), reason: `${reason}${where}` };
  });

/**
 * Warnings about CSS and elements that have no effect, if no script of the document may give them one.
 * @param html as the caller sent it, with the names of scripts
 * @param inlined with the style sheets of the assets
 */
export const warningsOfIgnoredFeatures = (
  html: string,
  inlined: string,
  { classification, details }: ReturnType<typeof classify>,
): RenderWarning[] => {
  if (details.ignoredFeatures.length === 0 || (classification.scripts && mentionsPagedMediaScript(html))) return [];
  return withoutOwnCounters(details.ignoredFeatures, inlined).map((one) => ({ kind: 'feature_ignored', ...one }));
};

/**
 * Prepares HTML, which stays unchanged but for references to assets.
 * @throws ApiError if a part of it would be lost, and what `budget` throws
 */
export const prepareHtml = (
  html: string,
  maxImages: number | null,
  budget: Budget = unlimitedBudget,
  assets?: AssetInliner,
): PreparedDocument => {
  const inlined = assets?.inline(html) ?? html;
  const classified = classify(inlined, budget);
  const { classification, details } = classified;
  const { unfinished } = details;
  if (unfinished)
    throw inputError(
      'html',
      `The HTML ends inside ${unfinished.inside} that begins on line ${unfinished.line}; ` +
        'everything after that would be lost.',
      { details: `unfinished: ${unfinished.inside}`, line: unfinished.line },
    );
  checkImages(details, maxImages, budget, assets);
  const warnings = [
    ...warningsOfImages(details.truncatedImages),
    ...warningsOfIgnoredFeatures(html, inlined, classified),
  ];
  return {
    html: inlined,
    classification,
    ...(!assets && missingResources(html, classified, budget)),
    ...(warnings.length > 0 && { warnings }),
    ...metadataMember(details.metadata),
    ...(!classification.scripts && !details.namesLanguage && { lacksLanguage: true }),
  };
};
