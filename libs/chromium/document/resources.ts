import type { Protocol } from 'devtools-protocol';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import type { Session } from '../cdp/connection.ts';
import { evaluate } from './evaluate.ts';
import { errorReason, type FailureReason, reasonText, statusReason } from './failure-reasons.ts';

export type ResourceWarning = Extract<RenderWarning, { kind: 'resource_failed' }>;
type Failure = {
  url: string;
  finalUrl: string;
  type: Protocol.Network.ResourceType;
  reason: FailureReason;
};

export type ResourceTracker = {
  /**
   * Call it after the document has stabilised. Returns the failures of other resources.
   * @throws ApiError image_load_failed for the first image that failed
   */
  checkFailures(): Promise<ResourceWarning[]>;
};

const isExternal = (url: string) => /^https?:/i.test(url);

/**
 * How many requests that have not ended, and how many images, are known. A script can send any number, each with a URL of
 * megabytes.
 */
const maxRequests = 10_000;
const maxUrlLength = 2_000;

/** Copies the beginning of a long URL: in V8 a slice keeps the whole text in memory. */
const truncateUrl = (url: string): string =>
  url.length > maxUrlLength ? `${Buffer.from(url.slice(0, maxUrlLength)).toString()}...` : url;

const failureReason = (
  { errorText, corsErrorStatus, blockedReason }: Protocol.Network.LoadingFailedEvent,
  request: { last: string; statusFailure?: FailureReason | undefined } | undefined,
): FailureReason => {
  if (corsErrorStatus) return request?.statusFailure ?? { known: 'the server does not let other sites use it (CORS)' };
  if (!blockedReason) return errorReason(errorText);
  const { username, password } = URL.parse(request?.last ?? '') ?? {};
  if (!username && !password) return { known: `the browser blocked it (${blockedReason})` };
  return { known: 'browsers load nothing for a document from a URL with a user name or password' };
};

const isNotAnImage = ({ mimeType }: Protocol.Network.Response) =>
  /^(?:text\/(?!plain)|application\/(?:json|pdf|javascript|xhtml))/i.test(mimeType);

// Caused by the document itself: its content security policy, or a request that it cancelled.
const isCausedByDocument = ({ canceled, blockedReason }: Protocol.Network.LoadingFailedEvent) =>
  canceled === true || blockedReason === 'csp';

const undecodedImagesExpression = `[...document.images]
  .filter((image) => image.complete && image.currentSrc && image.naturalWidth === 0 && image.naturalHeight === 0)
  .filter((image) => !image.currentSrc.startsWith('data:'))
  .slice(0, ${maxRequests})
  .map((image) => image.currentSrc.split('#')[0].slice(0, ${maxUrlLength} + 1))`;

/**
 * A page at a URL, whose author is not the caller: its failed images are only warnings, and its images are counted while
 * it loads, up to `maxImages`.
 */
export type PageOfUrl = { frameId: string; maxImages: number | null };

const maxWarnings = 50;

const tooManyImagesError = (limit: number): ApiError =>
  ApiError.of(
    'conversion_failed',
    `The page loads more than ${limit} different images; at most ${limit} are allowed.`,
    {
      details: { images: limit + 1, limit },
    },
  );

/**
 * All pages of a browser load their frames through one process. A page that includes itself made the pages of other
 * callers several times slower, until it had the thousand frames that Chromium allows.
 */
const maxFrames = 200;

const tooManyFramesError = (): ApiError =>
  ApiError.of(
    'conversion_failed',
    `The document loads more than ${maxFrames} frames from URLs (iframe, object or embed).`,
    { details: { frames: maxFrames + 1, limit: maxFrames } },
  );

/**
 * Tracks what a page fetches. It costs at least one protocol message for each resource, so it is only used for
 * documents that fetch. `page` is null for a document that was sent. Too many frames or images go to `onTooMany`.
 */
export const trackResources = async (
  session: Session,
  proxy: string | undefined,
  onTooMany: (error: ApiError) => void = () => undefined,
  page: PageOfUrl | null = null,
): Promise<ResourceTracker> => {
  const loadedFrames = new Set<string>();
  const countedImages = new Set<string>();
  const loadedImages = new Set<string>();
  /** By request id, those that have not ended. */
  const requests = new Map<
    string,
    { first: string; last: string; isImage: boolean; statusFailure?: FailureReason | undefined }
  >();
  const failures = new Map<string, Failure>();
  let hasFailedImage = false;
  const addFailure = (failure: Failure): void => {
    if (failures.has(failure.url)) return;
    const isFirstImage = failure.type === 'Image' && !page && !hasFailedImage;
    if (failures.size >= maxWarnings && !isFirstImage) return;
    hasFailedImage ||= isFirstImage;
    failures.set(failure.url, failure);
  };
  const fail = (requestId: string, type: Protocol.Network.ResourceType, reason: FailureReason): void => {
    const request = requests.get(requestId);
    if (request) addFailure({ url: request.first, finalUrl: request.last, type, reason });
  };
  const countImage = (url: string): void => {
    const limit = page?.maxImages ?? null;
    if (!page || limit === null || countedImages.size > limit) return;
    countedImages.add(url);
    if (countedImages.size > limit) onTooMany(tooManyImagesError(limit));
  };

  const countFrame = (frameId: string): void => {
    if (loadedFrames.size > maxFrames) return;
    loadedFrames.add(frameId);
    if (loadedFrames.size > maxFrames) onTooMany(tooManyFramesError());
  };

  session.on('Network.requestWillBeSent', ({ requestId, request, redirectResponse, type, frameId }) => {
    // Navigation has its own errors.
    if (page && type === 'Document' && frameId === page.frameId) return;
    if (!isExternal(request.url)) return;
    const url = truncateUrl(request.url);
    if (type === 'Image' && !redirectResponse) countImage(url);
    if (type === 'Document' && frameId !== undefined) countFrame(frameId);
    const first = redirectResponse ? requests.get(requestId)?.first : undefined;
    if (requests.has(requestId) || requests.size < maxRequests)
      requests.set(requestId, { first: first ?? url, last: url, isImage: type === 'Image' });
  });
  // This event has the status even if the page may not read the response.
  session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode, headers }) => {
    const request = requests.get(requestId);
    if (request) request.statusFailure = statusReason({ status: statusCode, headers });
  });
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    const reason =
      statusReason(response) ??
      (type === 'Image' && isNotAnImage(response) ? ({ known: 'the response is not an image' } as const) : undefined);
    if (reason) fail(requestId, type, reason);
  });
  session.on('Network.loadingFailed', (event) => {
    if (!isCausedByDocument(event))
      fail(event.requestId, event.type, failureReason(event, requests.get(event.requestId)));
    requests.delete(event.requestId);
  });
  session.on('Network.loadingFinished', ({ requestId }) => {
    const request = requests.get(requestId);
    // Whether it could be decoded is known in the end.
    if (request?.isImage && loadedImages.size < maxRequests) loadedImages.add(request.first);
    requests.delete(requestId);
  });
  if (page)
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id === page.frameId) failures.clear();
    });
  await session.send('Network.enable', {});

  const findUndecoded = async () => {
    const value = await evaluate(session, undecodedImagesExpression);
    const urls: unknown[] = Array.isArray(value) ? value : [];
    for (const url of urls.map((each) => truncateUrl(String(each))))
      if (loadedImages.has(url))
        addFailure({ url, finalUrl: url, type: 'Image', reason: { known: 'the response is not an image' } });
  };

  return {
    checkFailures: async () => {
      await findUndecoded();
      const image = [...failures.values()].find(({ type }) => type === 'Image');
      if (image && !page) {
        const reason = await reasonText(image.reason, proxy, image.finalUrl);
        throw ApiError.of('image_load_failed', `The image ${image.url} could not be loaded: ${reason}`, {
          image_url: image.url,
          reason,
        });
      }
      return Promise.all(
        [...failures.values()].map(async (failure) => ({
          kind: 'resource_failed' as const,
          url: failure.url,
          reason: await reasonText(failure.reason, proxy, failure.finalUrl),
        })),
      );
    },
  };
};
