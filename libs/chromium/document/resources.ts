import type { Protocol } from 'devtools-protocol';
import { ApiError } from '#contracts/http/api-error.ts';
import type { Session } from '../cdp/connection.ts';
import { fetchProxyError } from './proxy-error.ts';

export type Warning = { kind: 'resource_failed'; url: string; reason: string };
type Failure = {
  url: string;
  finalUrl: string;
  type: Protocol.Network.ResourceType;
  reason: FailureReason;
};
type FailureReason = { known: string } | { ask: 'proxy'; fallback: string };

export type ResourceTracker = {
  /**
   * Call it after the document has stabilised. Returns the failures of other resources.
   * @throws ApiError image_load_failed for the first image that failed
   */
  checkFailures(): Promise<Warning[]>;
};

const networkErrors: Record<string, string> = {
  ERR_NAME_NOT_RESOLVED: 'the name of the host could not be resolved (DNS)',
  ERR_CONNECTION_REFUSED: 'the connection was refused',
  ERR_CONNECTION_RESET: 'the connection was reset',
  ERR_CONNECTION_CLOSED: 'the connection was closed before a response came',
  ERR_EMPTY_RESPONSE: 'the server sent an empty response',
  ERR_TIMED_OUT: 'the server did not respond in time',
  ERR_CONNECTION_TIMED_OUT: 'the server did not respond in time',
  ERR_TOO_MANY_REDIRECTS: 'the server redirects in a loop',
  ERR_CONTENT_LENGTH_MISMATCH: 'the response ended too early',
  ERR_INCOMPLETE_CHUNKED_ENCODING: 'the response ended too early',
  ERR_CERT_AUTHORITY_INVALID: 'the certificate of the server is not trusted',
  ERR_CERT_COMMON_NAME_INVALID: 'the certificate of the server is for another name',
  ERR_CERT_DATE_INVALID: 'the certificate of the server has expired or is not valid yet',
  ERR_SSL_PROTOCOL_ERROR: 'the server does not speak TLS on this port',
  ERR_BLOCKED_BY_ORB: 'the response is not an image',
  ERR_UNSAFE_PORT: 'browsers block this port',
  ERR_INVALID_URL: 'the URL is not valid',
  ERR_UNKNOWN_URL_SCHEME: 'the URL scheme is not supported',
  ERR_TUNNEL_CONNECTION_FAILED: 'the host could not be reached',
  ERR_PROXY_CONNECTION_FAILED: 'the egress proxy of the service is closed',
};

const isExternal = (url: string) => /^https?:/i.test(url);

const errorReason = (errorText: string): FailureReason => {
  const code = errorText.replace(/^net::/, '');
  const known = networkErrors[code] ?? `the request failed (${code})`;
  return code === 'ERR_TUNNEL_CONNECTION_FAILED' ? { ask: 'proxy', fallback: known } : { known };
};

const failureReason = (
  { errorText, corsErrorStatus }: Protocol.Network.LoadingFailedEvent,
  status: number | undefined,
): FailureReason => {
  if (corsErrorStatus && status !== undefined && status >= 400) return { known: `the server responded with ${status}` };
  return corsErrorStatus ? { known: 'the server does not let other sites use it (CORS)' } : errorReason(errorText);
};

const statusReason = ({ status, headers }: Protocol.Network.Response): FailureReason | undefined => {
  if (status < 400) return undefined;
  const responded = `the server responded with ${status}`;
  const isBlocked = Object.keys(headers).some((name) => name.toLowerCase() === 'x-colophon-blocked');
  return isBlocked || status === 502 || status === 504 ? { ask: 'proxy', fallback: responded } : { known: responded };
};

const isNotAnImage = ({ mimeType }: Protocol.Network.Response) =>
  /^(?:text\/(?!plain)|application\/(?:json|pdf|javascript|xhtml))/i.test(mimeType);

// Caused by the document itself: its content security policy, or a request that it cancelled.
const isCausedByDocument = ({ canceled, blockedReason }: Protocol.Network.LoadingFailedEvent) =>
  canceled === true || blockedReason === 'csp';

const undecodedImagesExpression = `[...document.images]
  .filter((image) => image.complete && image.currentSrc && image.naturalWidth === 0 && image.naturalHeight === 0)
  .map((image) => image.currentSrc)`;

/**
 * Tracks what a page fetches. It costs at least one protocol message for each resource, so it is only used for
 * documents that fetch.
 */
export const trackResources = async (session: Session, proxy: string | undefined): Promise<ResourceTracker> => {
  const requests = new Map<string, { first: string; last: string; status?: number }>();
  const failures = new Map<string, Failure>();
  const fail = (requestId: string, type: Protocol.Network.ResourceType, reason: FailureReason) => {
    const request = requests.get(requestId);
    if (request && isExternal(request.first) && !failures.has(request.first))
      failures.set(request.first, { url: request.first, finalUrl: request.last, type, reason });
  };

  session.on('Network.requestWillBeSent', ({ requestId, request, redirectResponse }) => {
    const first = redirectResponse ? requests.get(requestId)?.first : undefined;
    requests.set(requestId, { first: first ?? request.url, last: request.url });
  });
  // This event has the status even if the page may not read the response.
  session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
    const request = requests.get(requestId);
    if (request) request.status = statusCode;
  });
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    const reason =
      statusReason(response) ??
      (type === 'Image' && isNotAnImage(response) ? ({ known: 'the response is not an image' } as const) : undefined);
    if (reason) fail(requestId, type, reason);
  });
  session.on('Network.loadingFailed', (event) => {
    if (!isCausedByDocument(event))
      fail(event.requestId, event.type, failureReason(event, requests.get(event.requestId)?.status));
  });
  await session.send('Network.enable', {});

  const reasonText = async ({ finalUrl, reason }: Failure) =>
    'known' in reason ? reason.known : (proxy && (await fetchProxyError(proxy, finalUrl))) || reason.fallback;
  const findUndecoded = async () => {
    const { result } = await session.send('Runtime.evaluate', {
      expression: undecodedImagesExpression,
      returnByValue: true,
    });
    const undecoded = new Set<unknown>(Array.isArray(result.value) ? result.value : []);
    for (const [requestId, { first }] of requests)
      if (undecoded.has(first)) fail(requestId, 'Image', { known: 'the response is not an image' });
  };

  return {
    checkFailures: async () => {
      await findUndecoded();
      const image = [...failures.values()].find(({ type }) => type === 'Image');
      if (image) {
        const reason = await reasonText(image);
        throw ApiError.of('image_load_failed', `The image ${image.url} could not be loaded: ${reason}`, {
          image_url: image.url,
          reason,
        });
      }
      return Promise.all(
        [...failures.values()].map(async (failure) => ({
          kind: 'resource_failed' as const,
          url: failure.url,
          reason: await reasonText(failure),
        })),
      );
    },
  };
};
