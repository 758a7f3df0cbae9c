import { ApiError } from '#contracts/http/api-error.ts';
import {
  type HeaderFooterContent,
  type HeaderFooterSources,
  parseHeaderFooter,
} from '#libs/chromium/header-footer/parse.ts';
import { type AssetUse, createAssetInliner } from './assets/inline.ts';

/** `assets` is a bundle, see assets/bundle.ts; absent if the request can have none. */
export type HeaderFooterInput = { sources: HeaderFooterSources; requestedAt: Date; assets?: Uint8Array };
/** `assets` is present if the input has assets. */
export type PreparedHeaderFooter = { contents: HeaderFooterContent[]; assets?: AssetUse };

/** The browser lays them out on each page. */
const maxCompleteLength = 4 * 1024 * 1024;

const tooLarge = (): ApiError =>
  ApiError.of('conversion_failed', 'header_html and footer_html, with their assets, are larger than 4 MB.', {
    details: { reason: 'assets too large', limit_mb: 4 },
  });

/** Parses header and footer, see `parseHeaderFooter`, and puts assets into them. @throws ApiError */
export const prepareHeaderFooter = ({ sources, requestedAt, assets }: HeaderFooterInput): PreparedHeaderFooter => {
  if (!assets) return { contents: parseHeaderFooter(sources, requestedAt) };
  const inliner = createAssetInliner(assets);
  const inline = (field: 'header_html' | 'footer_html'): string | null => {
    const html = sources[field];
    const inlined = html === null ? null : inliner.inline(html);
    inliner.requireImages(field);
    return inlined;
  };
  const inlined = { ...sources, header_html: inline('header_html'), footer_html: inline('footer_html') };
  const contents = parseHeaderFooter(inlined, requestedAt).map((content) => ({
    ...content,
    html: inliner.complete(content.html),
  }));
  if (contents.reduce((sum, { html }) => sum + html.length, 0) > maxCompleteLength) throw tooLarge();
  return { contents, assets: inliner.use() };
};
