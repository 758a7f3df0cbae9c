import type { Protocol } from 'devtools-protocol';
import { fetchProxyError } from './proxy-error.ts';

/** Why a request failed: `known` from the browser, or the proxy is asked, with a `fallback` if it does not say. */
export type FailureReason = { known: string } | { fallback: string };

const responseCut = 'the response ended too early: its server closed the connection, or it is too large';

const networkErrors: Record<string, string> = {
  ERR_NAME_NOT_RESOLVED: 'the name of the host could not be resolved (DNS)',
  ERR_CONNECTION_REFUSED: 'the connection was refused',
  ERR_CONNECTION_RESET: 'the connection was reset',
  ERR_CONNECTION_CLOSED: 'the connection was closed before a response came',
  ERR_EMPTY_RESPONSE: 'the server sent an empty response',
  ERR_TIMED_OUT: 'the server did not respond in time',
  ERR_CONNECTION_TIMED_OUT: 'the server did not respond in time',
  ERR_TOO_MANY_REDIRECTS: 'the server redirects in a loop',
  ERR_CONTENT_LENGTH_MISMATCH: responseCut,
  ERR_INCOMPLETE_CHUNKED_ENCODING: responseCut,
  ERR_CONTENT_DECODING_FAILED: 'the compressed response is damaged, or ended too early',
  ERR_UNSAFE_REDIRECT: 'the server redirects to a URL that a page may not load',
  ERR_INVALID_REDIRECT: 'the server redirects to a URL that is not valid',
  ERR_CERT_AUTHORITY_INVALID: 'the certificate of the server is not trusted',
  ERR_CERT_COMMON_NAME_INVALID: 'the certificate of the server is for another name',
  ERR_CERT_DATE_INVALID: 'the certificate of the server has expired or is not valid yet',
  ERR_SSL_PROTOCOL_ERROR: 'the server does not support TLS on this port',
  ERR_BLOCKED_BY_ORB: 'the response is not an image',
  ERR_UNSAFE_PORT: 'browsers block this port',
  ERR_INVALID_URL: 'the URL is not valid',
  ERR_UNKNOWN_URL_SCHEME: 'the URL scheme is not supported',
  ERR_TUNNEL_CONNECTION_FAILED: 'the host could not be reached',
  ERR_PROXY_CONNECTION_FAILED: 'the egress proxy of the service is closed',
};

/** The reason of a network error of the browser, such as `net::ERR_CONNECTION_REFUSED`. */
export const errorReason = (errorText: string): FailureReason => {
  const code = errorText.replace(/^net::/, '');
  const known = networkErrors[code] ?? `the request failed (${code})`;
  return code === 'ERR_TUNNEL_CONNECTION_FAILED' ? { fallback: known } : { known };
};

/** The reason of a response with an error status; undefined for other responses. */
export const statusReason = ({
  status,
  headers,
}: Pick<Protocol.Network.Response, 'status' | 'headers'>): FailureReason | undefined => {
  if (status < 400) return undefined;
  const isOfProxy = Object.keys(headers).some((name) => name.toLowerCase() === 'x-colophon-error');
  return isOfProxy ? { fallback: 'the host could not be reached' } : { known: `the server responded with ${status}` };
};

/** The text of a reason. `url` is the URL whose request failed. */
export const reasonText = async (reason: FailureReason, proxy: string | undefined, url: string): Promise<string> =>
  'known' in reason ? reason.known : (proxy && (await fetchProxyError(proxy, url))) || reason.fallback;
