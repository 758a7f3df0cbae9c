import { ApiError } from '#contracts/http/api-error.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import { baseUrlOf } from '../html/base-url.ts';
import { folderOf, indexAssets, isRelativeUrl, type StoredAsset } from './asset-names.ts';
import { decodeBundle } from './bundle.ts';
import { truncationReasons, findTruncation } from './truncated-images.ts';
import { type CssUrlKind, replaceCssUrls } from './css-urls.ts';
import { createDataUrls } from './data-urls.ts';
import { type HtmlReplacer, replaceHtmlUrls } from './html-urls.ts';
import { dataUrlOf, decodeUnicode, isImage, mediaTypeOf } from './media-type.ts';

/** A font, style sheet, script or image of a style sheet that no asset has the name of, or a truncated image. */
export type MissingResource = { url: string; reason: string };
/** What became of the assets of a request. `unused` are the names of assets that it does not use. */
export type AssetUse = { missing: MissingResource[]; unused: string[] };

/** Puts the assets of a request into its HTML as data: URLs, so that a document stays complete in itself. */
export type AssetInliner = {
  /**
   * HTML with short placeholders for the assets; see `complete`. @throws ApiError image_load_failed, conversion_failed
   */
  inline: (html: string) => string;
  /** Puts the assets in place of their placeholders. @throws ApiError conversion_failed if that becomes too large */
  complete: (html: string) => string;
  /** Why the relative URL of an image has no asset. */
  describeMissing: (url: string) => string;
  /** @throws ApiError image_load_failed if an image was not found */
  requireImages: (field: string) => void;
  use: () => AssetUse;
};

/** Each level of imports makes the style sheets in it larger by a third. */
const maxImportDepth = 5;
const maxListedMissing = 50;

const notAnImage = (url: string, { name, bytes }: StoredAsset): ApiError => {
  const reason =
    bytes.byteLength === 0
      ? 'the asset is empty'
      : isImage({ bytes })
        ? truncationReasons.nothing
        : 'the asset is not an image in a known format';
  return ApiError.of('image_load_failed', `The image "${url.slice(0, 300)}" cannot be loaded: ${reason}.`, {
    image_url: url.slice(0, 300),
    reason: `${reason}: ${name.slice(0, 300)}`,
  });
};

const imageNotFound = (field: string, { url, reason }: MissingResource): ApiError =>
  ApiError.of('image_load_failed', `The image "${url.slice(0, 300)}" in ${field} cannot be loaded: ${reason}.`, {
    image_url: url.slice(0, 300),
    reason,
  });

const importsTooDeep = (name: string): ApiError =>
  ApiError.of(
    'conversion_failed',
    `The style sheet "${name.slice(0, 300)}" is imported over more than ${maxImportDepth} levels, or imports itself.`,
    { details: { reason: 'imports nested too deeply', limit: maxImportDepth } },
  );

/** The text of a style sheet, in the encoding that it names (CSS Syntax Level 3, 3.2), without its byte order mark. */
const decodeStyleSheet = (bytes: Uint8Array): string => {
  const named = /^@charset "([^"]*)";/.exec(asBuffer(bytes.subarray(0, 100)).toString('latin1'))?.[1];
  try {
    // A name that can be read so is not in UTF-16.
    if (named !== undefined && !/^utf-?16/i.test(named)) return new TextDecoder(named).decode(bytes);
  } catch {
    // A browser ignores names that it does not know.
  }
  return decodeUnicode(bytes);
};

/** The part of a URL that selects a view or a symbol of an SVG image. */
const fragmentOf = (url: string): string => /#[\w:.,()/-]*$/.exec(url.trim())?.[0] ?? '';

/** @param bundle the assets of the request; empty if it has none */
export const createAssetInliner = (bundle: Uint8Array): AssetInliner => {
  const assets = bundle.byteLength === 0 ? [] : decodeBundle(bundle);
  const index = indexAssets(assets);
  const urls = createDataUrls(bundle);
  const used = new Set<Uint8Array>();
  /** Images of which a browser shows nothing, because their files end too early. */
  const notShown = new Set<Uint8Array>();
  const missing = new Map<string, MissingResource>();
  let missingImage: MissingResource | undefined;
  /** If true, the browser resolves relative URLs that have no asset. */
  let hasBase = false;
  /** What a relative base element names. */
  let documentFolder = '';

  const find = (url: string, folder: string): StoredAsset | undefined => {
    const asset = isRelativeUrl(url) ? index.find(url, folder) : undefined;
    if (!asset || used.has(asset.bytes)) return asset;
    used.add(asset.bytes);
    const shownPart = findTruncation(asset.bytes);
    if (shownPart === 'nothing') notShown.add(asset.bytes);
    if (shownPart && missing.size < maxListedMissing)
      missing.set(asset.path, { url: asset.name, reason: truncationReasons[shownPart] });
    return asset;
  };
  const findOrReport = (url: string, folder: string): StoredAsset | undefined => {
    const asset = find(url, folder);
    if (!asset && !hasBase && isRelativeUrl(url) && missing.size < maxListedMissing)
      missing.set(folder + url, { url, reason: index.describeMissing(url, folder) });
    return asset;
  };

  const placeholderOf = (asset: StoredAsset, url: string): string =>
    urls.placeholderOf(asset.path, asset.name, () => dataUrlOf(mediaTypeOf(asset), asset.bytes)) + fragmentOf(url);
  const scriptOf = ({ path, name, bytes }: StoredAsset): string =>
    urls.placeholderOf(`script ${path}`, name, () => dataUrlOf('text/javascript;charset=utf-8', bytes));
  const imageOf = (url: string): string | undefined => {
    const asset = find(url, documentFolder);
    if (!asset && isRelativeUrl(url)) missingImage ??= { url, reason: index.describeMissing(url, documentFolder) };
    if (asset && (!isImage(asset) || notShown.has(asset.bytes))) throw notAnImage(url, asset);
    return asset && placeholderOf(asset, url);
  };

  const replaceUrls = (css: string, folder: string, depth: number, onOneLine: boolean): string => {
    const replace = (url: string, kind: CssUrlKind, alternatives: readonly string[]): string | undefined => {
      const isFound = alternatives.some((one) => find(one, folder) !== undefined);
      const asset = isFound ? find(url, folder) : findOrReport(url, folder);
      if (!asset || kind === 'resource') return asset && placeholderOf(asset, url);
      return urls.placeholderOf(`import ${asset.path}`, asset.name, () =>
        dataUrlOf('text/css', Buffer.from(urls.complete(styleSheetOf(asset, depth + 1)))),
      );
    };
    return replaceCssUrls(css, replace, { onOneLine });
  };
  const styleSheetOf = (asset: StoredAsset, depth: number): string => {
    if (depth > maxImportDepth) throw importsTooDeep(asset.name);
    return replaceUrls(decodeStyleSheet(asset.bytes), folderOf(asset.path), depth, true);
  };

  const replacer: HtmlReplacer = {
    image: imageOf,
    // A candidate without an asset is not an error: the browser selects another one.
    candidate: (url) => imageOf(url) ?? (isRelativeUrl(url) && !hasBase ? null : undefined),
    css: (css, context) =>
      context === 'declarations' && !/url|image-set/i.test(css) ? css : replaceUrls(css, documentFolder, 0, false),
    styleSheet: (url) => {
      const asset = findOrReport(url, documentFolder);
      return asset && styleSheetOf(asset, 0);
    },
    script: (url) => {
      const asset = findOrReport(url, documentFolder);
      return asset && scriptOf(asset);
    },
  };

  return {
    inline: (html) => {
      const base = baseUrlOf(html);
      hasBase = base !== undefined && URL.canParse(base);
      documentFolder = base === undefined || hasBase ? '' : folderOf(base);
      return replaceHtmlUrls(html, replacer);
    },
    complete: urls.complete,
    describeMissing: (url) => index.describeMissing(url, documentFolder),
    requireImages: (field) => {
      if (missingImage) throw imageNotFound(field, missingImage);
    },
    use: () => ({
      missing: [...missing.values()],
      unused: assets.filter(({ bytes }) => !used.has(bytes)).map(({ name }) => name),
    }),
  };
};
