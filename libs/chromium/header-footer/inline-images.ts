import { escapeAttribute, type HeaderFooterContent } from './parse.ts';
import { loadDocument } from '../document/load.ts';
import type { BrowserInstance } from '../browsers/instance.ts';
import { failPageOnAbort, type Page } from '../browsers/page.ts';
import { trackResources } from '../document/resources.ts';

type ImageFetchOptions = {
  instance: BrowserInstance;
  group: string;
  signal: AbortSignal;
};

/**
 * Replaces external images of a header or footer with data: URLs, because the browser's print template fetches nothing.
 * @throws ApiError image_load_failed
 */
export const inlineImages = (
  content: HeaderFooterContent,
  { instance, group, signal }: ImageFetchOptions,
): Promise<HeaderFooterContent> =>
  instance.withSingleUsePage({ scripts: 'off', network: 'proxy' }, (page) =>
    failPageOnAbort(page, signal, () => fetchAndInlineImages(content, page, group)),
  );

const fetchAndInlineImages = async (
  content: HeaderFooterContent,
  page: Page,
  group: string,
): Promise<HeaderFooterContent> => {
  const { session, proxy } = page;
  proxy?.assignAccount(group);
  const responses = new Map<string, { requestId: string; mimeType: string }>();
  const requestUrls = new Map<string, string>();
  session.on('Network.requestWillBeSent', ({ requestId, request, redirectResponse }) => {
    if (!redirectResponse) requestUrls.set(requestId, request.url);
  });
  session.on(
    'Network.responseReceived',
    ({ requestId, response }) =>
      void responses.set(requestUrls.get(requestId) ?? response.url, { requestId, mimeType: response.mimeType }),
  );
  const tracker = await trackResources(session, proxy?.url);
  await loadDocument(page, content.images.map((image) => `<img src="${escapeAttribute(image)}">`).join(''));
  await tracker.checkFailures();

  let html = content.html;
  for (const image of content.images) {
    const response = responses.get(new URL(image).href);
    if (!response) continue;
    const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId: response.requestId });
    const data = base64Encoded ? body : Buffer.from(body).toString('base64');
    html = html.replaceAll(`src="${escapeAttribute(image)}"`, () => `src="data:${response.mimeType};base64,${data}"`);
  }
  return { ...content, html };
};
