import type { EdgeContent } from './read.ts';
import { fill } from '../document/fill.ts';
import type { BrowserInstance } from '../browsers/instance.ts';
import { untilAborted, type Page } from '../browsers/page.ts';
import { watchResources } from '../document/resources.ts';

const attribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

type Way = { instance: BrowserInstance; /** Whose document it is. */ group: string; signal: AbortSignal };

/** Puts the external pictures of a band into it as data, for the browser's template fetches nothing. Throws image_load_failed. */
export const inlineImages = (band: EdgeContent, { instance, group, signal }: Way): Promise<EdgeContent> =>
  instance.withFreshPage({ scripts: 'off', network: 'proxy' }, (page) => untilAborted(page, signal, () => fetchInto(band, page, group)));

const fetchInto = async (band: EdgeContent, page: Page, group: string): Promise<EdgeContent> => {
  const { session, proxy } = page;
  proxy?.assign(group);
  const answers = new Map<string, { requestId: string; mimeType: string }>();
  const addresses = new Map<string, string>();
  session.on('Network.requestWillBeSent', ({ requestId, request, redirectResponse }) => {
    if (!redirectResponse) addresses.set(requestId, request.url);
  });
  session.on('Network.responseReceived', ({ requestId, response }) => void answers.set(addresses.get(requestId) ?? response.url, { requestId, mimeType: response.mimeType }));
  const watch = await watchResources(session, proxy?.url);
  await fill(page, band.images.map((image) => `<img src="${attribute(image)}">`).join(''));
  await watch.judge();

  let html = band.html;
  for (const image of band.images) {
    const answer = answers.get(new URL(image).href);
    if (!answer) continue;
    const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId: answer.requestId });
    const data = base64Encoded ? body : Buffer.from(body).toString('base64');
    html = html.replaceAll(`src="${attribute(image)}"`, () => `src="data:${answer.mimeType};base64,${data}"`);
  }
  return { ...band, html };
};
