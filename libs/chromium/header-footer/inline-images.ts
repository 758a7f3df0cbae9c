import type { HeaderFooterContent } from './parse.ts';
import { loadDocument } from '../document/load.ts';
import type { BrowserInstance } from '../browsers/instance.ts';
import { failPageOnAbort, type Page } from '../browsers/page.ts';
import { trackResources } from '../document/resources.ts';

const escapeAttribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

type ImageFetchOptions = { instance: BrowserInstance; /** Whose document it is. */ group: string; signal: AbortSignal };

/** Puts the external pictures of a band into it as data, for the browser's template fetches nothing. Throws image_load_failed. */
export const inlineImages = (
  band: HeaderFooterContent,
  { instance, group, signal }: ImageFetchOptions,
): Promise<HeaderFooterContent> =>
  instance.withSingleUsePage({ scripts: 'off', network: 'proxy' }, (page) =>
    failPageOnAbort(page, signal, () => fetchAndInlineImages(band, page, group)),
  );

const fetchAndInlineImages = async (
  band: HeaderFooterContent,
  page: Page,
  group: string,
): Promise<HeaderFooterContent> => {
  const { session, proxy } = page;
  proxy?.assignAccount(group);
  const answers = new Map<string, { requestId: string; mimeType: string }>();
  const addresses = new Map<string, string>();
  session.on('Network.requestWillBeSent', ({ requestId, request, redirectResponse }) => {
    if (!redirectResponse) addresses.set(requestId, request.url);
  });
  session.on(
    'Network.responseReceived',
    ({ requestId, response }) =>
      void answers.set(addresses.get(requestId) ?? response.url, { requestId, mimeType: response.mimeType }),
  );
  const watch = await trackResources(session, proxy?.url);
  await loadDocument(page, band.images.map((image) => `<img src="${escapeAttribute(image)}">`).join(''));
  await watch.checkFailures();

  let html = band.html;
  for (const image of band.images) {
    const answer = answers.get(new URL(image).href);
    if (!answer) continue;
    const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId: answer.requestId });
    const data = base64Encoded ? body : Buffer.from(body).toString('base64');
    html = html.replaceAll(`src="${escapeAttribute(image)}"`, () => `src="data:${answer.mimeType};base64,${data}"`);
  }
  return { ...band, html };
};
