import { ApiError } from '#contracts/http/api-error.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { Page } from '../browsers/page.ts';
import type { PrintRequest } from '../print-request.ts';
import { viewportFor } from '../pdf/parameters.ts';

const isLifecycleEvent = (frameId: string, name: string) => (event: { frameId: string; name: string }) =>
  event.name === name && event.frameId === frameId;

/** Puts the document into the page and waits for its `load` event. */
export const loadDocument = (page: Page, html: string): Promise<void> => loadDocumentUntil(page, html, 'load');

/** The same, with a choice of the event; `DOMContentLoaded` only in pages that hold one document in their life, since a late event of an earlier one would pass for this one's. */
export const loadDocumentUntil = async (
  { session, frameId }: Page,
  html: string,
  until: 'load' | 'DOMContentLoaded',
): Promise<void> => {
  const happened = session.nextEvent('Page.lifecycleEvent', isLifecycleEvent(frameId, until));
  happened.catch(() => undefined);
  await session.send('Page.setDocumentContent', { frameId, html });
  await happened;
};

const navigatedAwayError = (address: string) =>
  ApiError.of(
    'conversion_failed',
    `The document leads away from itself, to ${address.slice(0, 200)}. Documents are rendered as they stand, without refresh or redirect.`,
    {
      details: { reason: 'navigated_away' },
    },
  );

/** Refuses a document that leads away by itself before it would be printed: the print may come before the browser follows. */
export const refuseRefresh = ({ classification: { refresh }, options }: PrintRequest): void => {
  if (refresh && refresh.seconds * 1000 <= options.wait_time) throw navigatedAwayError(refresh.url);
};

/** Keeps the document in its page: one that would lead the page elsewhere (a script, a refresh) fails, and nothing of the other address is loaded. */
export const blockNavigation = async (page: Page): Promise<void> => {
  const { session, frameId } = page;
  session.on('Fetch.requestPaused', ({ requestId, frameId: asking, request }) => {
    if (asking === frameId) return page.fail(navigatedAwayError(request.url));
    session.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
  });
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === frameId) page.fail(navigatedAwayError(frame.url));
  });
  await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] });
};

/** Sets the medium of the document that comes next; free where the page has it already. */
export const emulateMedia = async (page: Page, media: RenderOptions['emulate_media']): Promise<void> => {
  if (page.media === media) return;
  await page.session.send('Emulation.setEmulatedMedia', { media });
  page.media = media;
};

/** Makes the window as wide as the text on the paper will be, so that what scripts measure and draw fits; free where the page has that size already. */
export const setViewport = async (page: Page, options: RenderOptions): Promise<void> => {
  const size = viewportFor(options);
  if (size.width === page.viewport.width && size.height === page.viewport.height) return;
  await page.session.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: false });
  page.viewport = size;
};
