import { ApiError } from '#contracts/http/api-error.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { Page } from '../browsers/page.ts';
import type { PrintRequest } from '../print-request.ts';
import { evaluateIfPossible } from './evaluate.ts';
import { isSameViewport, viewportFor, viewportMetrics } from '../pdf/parameters.ts';

// Life-cycle events would be three more messages for each document.
const eventNames = { load: 'Page.loadEventFired', DOMContentLoaded: 'Page.domContentEventFired' } as const;

const usesSvg = /<use[\s/>]/i;

/**
 * Loads the document into the page and waits for its event. `DOMContentLoaded` is only for pages that hold one document,
 * because a late event of an earlier document would be mistaken for this one's.
 */
export const loadDocument = async (
  { session, frameId }: Page,
  html: string,
  until: 'load' | 'DOMContentLoaded' = 'load',
): Promise<void> => {
  const event = session.nextEvent(eventNames[until], () => true);
  event.catch(() => undefined);
  await session.send('Page.setDocumentContent', { frameId, html });
  // Without screen frames, nothing else makes the browser load what `use` refers to, and the event waits for that.
  if (usesSvg.test(html)) await evaluateIfPossible(session, 'document.documentElement.offsetWidth');
  await event;
};

const navigatedAwayError = (url: string) =>
  ApiError.of(
    'conversion_failed',
    `The document leads away from itself, to ${url.slice(0, 200)}. ` +
      `Documents are rendered as they are sent, without refresh or redirect.`,
    {
      details: { reason: 'navigated_away' },
    },
  );

/** Refuses a document that would navigate away before it is printed; the browser may print it before it navigates. */
export const refuseRefresh = ({ classification: { refresh }, options }: PrintRequest): void => {
  if (refresh && refresh.seconds * 1000 <= options.wait_time) throw navigatedAwayError(refresh.url);
};

/**
 * Fails a page that navigates away from its document (by a script or a refresh). Nothing of the other URL is loaded.
 */
export const blockNavigation = async (page: Page): Promise<void> => {
  const { session, frameId } = page;
  session.on('Fetch.requestPaused', ({ requestId, frameId: requestFrameId, request }) => {
    if (requestFrameId === frameId) return page.fail(navigatedAwayError(request.url));
    session.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
  });
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === frameId) page.fail(navigatedAwayError(frame.url));
  });
  await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] });
};

export const emulateMedia = async (page: Page, media: RenderOptions['emulate_media']): Promise<void> => {
  if (page.media === media) return;
  await page.session.send('Emulation.setEmulatedMedia', { media });
  page.media = media;
};

/**
 * Makes the viewport as wide as the text on paper, so that what scripts measure and draw fits. Does nothing if the page
 * has that size already.
 */
export const setViewport = async (page: Page, { options, classification }: PrintRequest): Promise<void> => {
  const size = viewportFor(options, classification.pageRule);
  if (isSameViewport(size, page.viewport)) return;
  await page.session.send('Emulation.setDeviceMetricsOverride', viewportMetrics(size));
  page.viewport = size;
};
