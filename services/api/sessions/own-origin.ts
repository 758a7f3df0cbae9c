import type { FastifyRequest } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import { isLoopbackHost } from '#libs/egress/loopback-host.ts';

type RequestOrigin = Pick<FastifyRequest, 'method' | 'headers' | 'protocol'>;

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request changes nothing. */
export const isRead = ({ method }: Pick<FastifyRequest, 'method'>): boolean => readMethods.has(method);

const ownOriginsOf = ({ headers: { host }, protocol }: RequestOrigin, baseUrl: string): string[] => {
  const own = new Set([new URL(baseUrl).origin]);
  // Not every host makes a URL: the port may be too high.
  const sent = URL.parse(`${protocol}://${host ?? ''}`);
  if (sent && isLoopbackHost(sent.hostname)) own.add(sent.origin);
  return [...own];
};

const crossOrigin = (message: string): ApiError => ApiError.of('cross_origin_request', message);

/**
 * Requires that a request with a session comes from a page of the service: browsers say so in `Origin` for every request
 * that changes something, and in `Sec-Fetch-Site`. @throws ApiError cross_origin_request
 */
export const requireOwnOrigin = (request: RequestOrigin, baseUrl: string): void => {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw crossOrigin('The request comes from a page of another site (Sec-Fetch-Site).');
  if (isRead(request)) return;
  const own = ownOriginsOf(request, baseUrl);
  if (origin === undefined || !own.includes(origin))
    throw crossOrigin(`A request that changes something needs the header Origin: ${own.join(' or ')}.`);
};
