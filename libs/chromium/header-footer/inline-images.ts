import { ApiError } from '#contracts/http/api-error.ts';
import { escapeAttribute, type HeaderFooterContent } from './parse.ts';
import { evaluate } from '../document/evaluate.ts';
import { loadDocument } from '../document/load.ts';
import type { BrowserInstance } from '../browsers/instance.ts';
import { failPageOnAbort, type Page } from '../browsers/page.ts';
import { trackResources } from '../document/resources.ts';

/** `maxImages` is the number of different images that the plan allows; null for no limit. */
type ImageFetchOptions = {
  instance: () => Promise<BrowserInstance>;
  group: string;
  maxImages: number | null;
  signal: AbortSignal;
};

/** Of all images, each as often as it is used: they become part of the HTML, which this process and the browser read. */
const maxMegabytes = 10;
const maxBytes = maxMegabytes * 1024 * 1024;

/**
 * Replaces external images of header and footer with data: URLs, because the browser's print template fetches nothing.
 * @throws ApiError image_load_failed; conversion_failed if they are too many or too large
 */
export const inlineImages = async (
  contents: HeaderFooterContent[],
  { instance, group, maxImages, signal }: ImageFetchOptions,
): Promise<HeaderFooterContent[]> => {
  const urls = new Set(contents.flatMap(({ images }) => images.map(withoutFragment)));
  if (urls.size === 0) return contents;
  if (maxImages !== null && urls.size > maxImages) throw tooManyImagesError(urls.size, maxImages);
  const browser = await instance();
  return browser.withSingleUsePage({ scripts: 'off', network: 'proxy' }, (page) =>
    failPageOnAbort(page, signal, () => fetchAndInlineImages(contents, urls, page, group)),
  );
};

type FetchedImage = { requestId: string; mimeType: string; bytes: number };

const fetchAndInlineImages = async (
  contents: HeaderFooterContent[],
  urls: ReadonlySet<string>,
  page: Page,
  group: string,
): Promise<HeaderFooterContent[]> => {
  page.proxy?.assignAccount(group);
  const fetched = collectImages(page);
  const tracker = await trackResources(page.session, page.proxy?.url);
  await loadDocument(page, [...urls].map((url) => `<img src="${escapeAttribute(url)}">`).join(''));
  await tracker.checkFailures();
  const browserUrls = await readBrowserUrls(page, urls);

  const uses = contents.flatMap(({ html, images }) =>
    images.map((url) => ({ url, count: html.split(attributeOf(url)).length - 1 })),
  );
  const imageOf = (url: string): FetchedImage => {
    const image = fetched.get(browserUrls.get(withoutFragment(url)) ?? '');
    if (!image) throw notLoadedError(url);
    return image;
  };
  if (uses.reduce((sum, { url, count }) => sum + count * imageOf(url).bytes, 0) > maxBytes) throw tooLargeError();
  const dataUrls = new Map<string, string>();
  for (const { url } of uses) dataUrls.set(url, (await dataUrlOf(page, imageOf(url))) + (URL.parse(url)?.hash ?? ''));
  return contents.map((content) => ({
    ...content,
    html: content.images.reduce(
      (html, url) => html.replaceAll(attributeOf(url), () => `src="${dataUrls.get(url)}"`),
      content.html,
    ),
  }));
};

const attributeOf = (url: string): string => `src="${escapeAttribute(url)}"`;

/** The URLs as the browser writes them: it escapes more characters than the URL standard. */
const readBrowserUrls = async ({ session }: Page, urls: ReadonlySet<string>): Promise<Map<string, string>> => {
  const sources = (await evaluate(session, '[...document.images].map(({ currentSrc }) => currentSrc)')) as string[];
  return new Map([...urls].map((url, at) => [url, sources[at] ?? '']));
};

/** The protocol names requests without the fragments of their URLs. */
const withoutFragment = (url: string): string => url.replace(/#.*/s, '');

/** The images by their URLs before redirects. Fails the page as soon as they are too large. */
const collectImages = (page: Page): ReadonlyMap<string, FetchedImage> => {
  const { session } = page;
  const images = new Map<string, FetchedImage>();
  const byRequest = new Map<string, FetchedImage>();
  let total = 0;
  session.on('Network.requestWillBeSent', ({ requestId, request, redirectResponse }) => {
    if (redirectResponse) return;
    const image: FetchedImage = { requestId, mimeType: '', bytes: 0 };
    byRequest.set(requestId, image);
    images.set(request.url, image);
  });
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const image = byRequest.get(requestId);
    if (image) image.mimeType = response.mimeType;
  });
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const image = byRequest.get(requestId);
    if (image) image.bytes += dataLength;
    total += dataLength;
    if (total > maxBytes) page.fail(tooLargeError());
  });
  return images;
};

const dataUrlOf = async ({ session }: Page, { requestId, mimeType }: FetchedImage): Promise<string> => {
  const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
  return `data:${mimeType};base64,${base64Encoded ? body : Buffer.from(body).toString('base64')}`;
};

const notLoadedError = (url: string): ApiError => {
  const reason = 'the browser did not load it';
  return ApiError.of('image_load_failed', `The image "${url.slice(0, 300)}" of header or footer: ${reason}.`, {
    image_url: url,
    reason,
  });
};

const tooManyImagesError = (images: number, limit: number): ApiError =>
  ApiError.of(
    'conversion_failed',
    `Header and footer have ${images} different external images; at most ${limit} are allowed. ` +
      'Embed images as data: URIs, or use fewer.',
    { details: { images, limit } },
  );

const tooLargeError = (): ApiError =>
  ApiError.of(
    'conversion_failed',
    `The images of header and footer are larger than ${maxMegabytes} MB together. An image counts as often as it is ` +
      'used. Use smaller images, for example with fewer pixels.',
    { details: { reason: 'header_footer_images_too_large', limit_mb: maxMegabytes } },
  );
