import type { Protocol } from 'devtools-protocol';
import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import type { Page } from '../browsers/page.ts';
import { CommandFailed } from '../cdp/errors.ts';
import type { LoadedPage, PageToLoad } from '../print-request.ts';
import { hasSecrets, headersForOrigin } from './page-secrets.ts';
import { evaluate } from './evaluate.ts';
import { errorReason, type FailureReason, reasonText, statusReason } from './failure-reasons.ts';

type Until = { event: 'load' | 'DOMContentLoaded'; signal: AbortSignal; deadline: number };

export type Navigation = {
  /**
   * Runs the work once the page has fired the event and is not about to load another page. If it still loads another
   * page, runs the work again. Afterwards the page cannot load another one.
   * @throws ApiError url_load_failed if the server has not responded at `deadline`, by performance.now()
   */
  whileItStays(until: Until, work: () => Promise<void>): Promise<void>;
  /** @throws ApiError url_load_failed if the page is empty */
  loadedPage(): Promise<LoadedPage>;
};

/** More redirects by scripts and refreshes count as a loop. The browser follows at most 20 redirects by HTTP. */
const maxPageRedirects = 5;
/** A refresh that comes later is not a redirect. */
const maxRefreshDelayMs = 1000;
/** How late a scheduled navigation may start. */
const startSlackMs = 2000;

/** The types that the browser shows as a page. Others are downloads, or images without a page around them. */
const pageTypes = /^(?:text\/(?:html|plain|xml)|application\/(?:xhtml\+xml|xml)|image\/svg\+xml)$/i;

const loadFailedError = (url: string, reason: string, status?: number): ApiError =>
  ApiError.of('url_load_failed', `The page could not be loaded: ${reason.replace(/\.$/, '')}.`, {
    url,
    reason,
    ...(status === undefined ? {} : { status }),
  });

const notAPage = ({ mimeType }: Protocol.Network.Response): FailureReason => ({
  known: `the response is ${mimeType || 'of no type'}, not a page; html, xhtml, plain text, xml and svg are printed`,
});

const noContent = ({ status, mimeType }: Protocol.Network.Response): FailureReason => ({
  known:
    status === 204 || status === 205
      ? 'the response has no content'
      : `the response is a download (${mimeType}), not a page`,
});

/** Runs in the page. Scripts and style sheets are no content. */
const isEmptyExpression = String.raw`(() => {
  const { body } = document;
  if (body === null) return document.documentElement === null;
  const isInvisible = (node) =>
    /^(?:script|style|template|noscript|link|meta)$/i.test(node.nodeName) || node.nodeType === 8;
  const isBlank = (node) => isInvisible(node) || (node.nodeType === 3 && node.data.trim() === '');
  return [...body.childNodes].every(isBlank) && getComputedStyle(body).backgroundImage === 'none';
})()`;

/** The origin of a URL of the browser, which takes more hosts as valid, such as `http://a b/`; '' for those. */
const originOf = (url: string): string => URL.parse(url)?.origin ?? '';

const patternOf = (origin: string): string => `${origin.replace(/[\\*?]/g, '\\$&')}/*`;

/**
 * Navigates a page to a URL and follows its redirects: those by HTTP, and those by a refresh within a second (or
 * `followMs`, if longer) or by a script. The headers and cookies are only sent to the origin of the URL, and only
 * while the page is one of that origin. A page that cannot be loaded fails with url_load_failed.
 */
export const startNavigation = async (page: Page, target: PageToLoad, followMs: number): Promise<Navigation> => {
  const { session, frameId, proxy } = page;
  const { origin } = new URL(target.url);
  const change = createChangeSignal();
  const responses = new Map<string, Protocol.Network.Response>();
  const events = new Set<string>();
  /** The id of the navigation that has not ended yet. */
  let pending: string | null = null;
  let scheduled: { until: number } | null = null;
  let current = '';
  /** The origin of the document in each frame. One without a URL of its own belongs to the document around it. */
  const frameOrigins = new Map<string, string>();
  let started = 0;
  let isLocked = false;
  let isFailing = false;
  /** Why the end of the current page is missing. It may already be loading another page. */
  let cutOff: FailureReason | null = null;
  let lastUrl = target.url;

  const isMain = (event: { frameId?: string | undefined }): boolean => event.frameId === frameId;
  /** Nothing may be printed while the reason of a failure is looked up. */
  const fail = (url: string, reason: FailureReason, status?: number): void => {
    isFailing = true;
    void reasonText(reason, proxy?.url, url).then((text) => page.fail(loadFailedError(url, text, status)));
  };
  const isPending = (): boolean =>
    isFailing || pending !== null || (scheduled !== null && performance.now() < scheduled.until);

  const checkResponse = (response: Protocol.Network.Response): void => {
    const error = statusReason(response);
    if (error) return fail(response.url, error, 'known' in error ? response.status : undefined);
    if (response.status !== 204 && response.status !== 205 && !pageTypes.test(response.mimeType))
      fail(response.url, notAPage(response), response.status);
  };

  session.on('Page.frameStartedNavigating', (event) => {
    if (!isMain(event) || /^(?:sameDocument|historySameDocument)$/.test(event.navigationType) || isLocked) return;
    pending = event.loaderId;
    started += 1;
    if (started > 1 + maxPageRedirects)
      fail(event.url, { known: `the page redirects more than ${maxPageRedirects} times` });
    change.notify();
  });
  session.on('Page.frameScheduledNavigation', (event) => {
    const delayMs = event.delay * 1000;
    if (!isMain(event) || delayMs > Math.max(maxRefreshDelayMs, followMs)) return;
    // The navigation starts after the delay. One within the same document never starts.
    scheduled = { until: performance.now() + delayMs + startSlackMs };
  });
  session.on('Page.frameClearedScheduledNavigation', (event) => {
    if (isMain(event)) scheduled = null;
    change.notify();
  });
  session.on('Page.frameAttached', ({ frameId: frame, parentFrameId }) => {
    frameOrigins.set(frame, frameOrigins.get(parentFrameId) ?? '');
  });
  session.on('Network.responseReceived', ({ requestId, type, response, ...event }) => {
    if (type === 'Document' && event.frameId !== undefined && /^https?:/i.test(response.url))
      frameOrigins.set(event.frameId, originOf(response.url));
    if (type !== 'Document' || !isMain(event)) return;
    responses.set(requestId, response);
    checkResponse(response);
  });
  session.on('Network.loadingFailed', ({ requestId, type, errorText }) => {
    const isAborted = errorText === 'net::ERR_ABORTED';
    // A script may stop the page itself.
    if (requestId === current && !isAborted) cutOff = errorReason(errorText);
    if (type !== 'Document' || requestId !== pending) return;
    const response = responses.get(requestId);
    // After the start of a download, the page stays.
    if (isAborted && current !== '') pending = null;
    else if (isAborted && response) fail(response.url, noContent(response), response.status);
    else fail(lastUrl, isAborted ? { known: 'the response has no page' } : errorReason(errorText));
    change.notify();
  });
  session.on('Network.requestWillBeSent', ({ requestId, request, type, ...event }) => {
    if (type === 'Document' && isMain(event) && requestId === pending) lastUrl = request.url;
  });
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id !== frameId) return;
    if (pending === frame.loaderId) pending = null;
    current = frame.loaderId;
    cutOff = null;
    if (!/^https?:/i.test(frame.url) && frame.unreachableUrl === undefined)
      fail(lastUrl, { known: `the page redirects to ${frame.url.slice(0, 100)}, which is not an http or https URL` });
    change.notify();
  });
  session.on('Page.lifecycleEvent', ({ frameId: eventFrame, loaderId, name }) => {
    if (eventFrame !== frameId) return;
    events.add(`${loaderId} ${name}`);
    change.notify();
  });
  session.on('Page.frameStoppedLoading', (event) => {
    if (!isMain(event) || current === '' || pending !== null) return;
    // A page that stops its own loading, by a download for example, fires no events.
    for (const name of ['load', 'DOMContentLoaded']) events.add(`${current} ${name}`);
    change.notify();
  });
  session.on('Fetch.requestPaused', ({ requestId, request, resourceType, ...event }) => {
    const isPage = resourceType === 'Document' && isMain(event);
    if (isPage && isLocked) {
      session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }).catch(() => undefined);
      return;
    }
    const isAllowed = originOf(request.url) === origin && (isPage || frameOrigins.get(event.frameId) === origin);
    const headers = isAllowed ? { headers: headersForOrigin(target, request) } : {};
    session.send('Fetch.continueRequest', { requestId, ...headers }).catch(() => undefined);
  });
  page.failed.catch(() => change.notify());

  await Promise.all([
    session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
    session.send('Network.enable', {}),
    // A service worker would send requests of its own.
    session.send('Network.setBypassServiceWorker', { bypass: true }),
    session.send('Fetch.enable', {
      patterns: [
        { resourceType: 'Document', requestStage: 'Request' },
        ...(hasSecrets(target) ? [{ urlPattern: patternOf(origin), requestStage: 'Request' as const }] : []),
      ],
    }),
  ]);
  session.send('Page.navigate', { url: target.url, frameId }).then(
    ({ errorText }) => {
      // The events say why, except for URLs that the browser refuses.
      if (errorText && !isFailing && current === '') fail(lastUrl, errorReason(errorText));
    },
    (error: unknown) => {
      if (error instanceof CommandFailed) fail(target.url, { known: 'the browser does not accept the URL' });
    },
  );

  const waitForEvent = async ({ event, signal, deadline }: Until): Promise<void> => {
    for (;;) {
      const version = change.version();
      signal.throwIfAborted();
      if (!page.alive) return page.failed;
      if (!isPending() && events.has(`${current} ${event}`)) return;
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0 && !responses.has(pending ?? current))
        throw loadFailedError(lastUrl, 'the server did not respond in time');
      const timeouts = [remainingMs, (scheduled?.until ?? 0) - performance.now()].filter((ms) => ms > 0);
      await change.waitForChange(signal, timeouts.length > 0 ? Math.min(...timeouts) + 1 : undefined, version);
    }
  };

  return {
    whileItStays: async (until, work) => {
      for (;;) {
        await waitForEvent(until);
        const before = started;
        try {
          await work();
        } catch (error) {
          // The work failed because its page is gone.
          if (error instanceof CommandFailed && started !== before) continue;
          throw error;
        }
        if (started !== before || isPending()) continue;
        if (cutOff === null) return void (isLocked = true);
        fail(responses.get(current)?.url ?? lastUrl, cutOff);
        return page.failed;
      }
    },
    loadedPage: async () => {
      const { url, status } = responses.get(current) ?? { url: lastUrl, status: 0 };
      if ((await evaluate(session, isEmptyExpression)) === true)
        throw loadFailedError(url, 'the page is empty', status);
      return { url, status };
    },
  };
};
