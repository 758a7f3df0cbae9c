import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import { sendErrorResponse, limitBytes, proxyHeaders } from './proxy-response.ts';
import { targetOfUrl, type Target } from './target.ts';
import { blockedError, toEgressError, type OnEgressError } from './errors.ts';

/** Raw header lines of Node and undici: name, value, name, value. */
type RawHeaders = string[];

// RFC 9110, 7.6.1, and headers that proxies use in practice.
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headerPairs = (raw: RawHeaders): [name: string, value: string][] =>
  Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i] ?? '', raw[2 * i + 1] ?? '']);

const connectionHeaders = (headers: [string, string][]): string[] =>
  headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((option) => option.trim().toLowerCase()));

/** The end-to-end headers. `excluded` names further headers to leave out. */
const endToEndHeaders = (raw: RawHeaders, excluded: string[]): RawHeaders => {
  const headers = headerPairs(raw);
  const dropped = new Set([...hopByHop, ...connectionHeaders(headers), ...excluded]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
};

export type ForwardOptions = { getAgent: () => Promise<Dispatcher>; maxResponseBytes: number; onError: OnEgressError };

const httpTarget = (requestTarget: string) => {
  const parsed = targetOfUrl(requestTarget);
  if (parsed.url.protocol !== 'http:') throw blockedError('bad-target', 'An https request needs a tunnel (CONNECT).');
  return parsed;
};

const hasBody = ({ headers }: IncomingMessage): boolean => {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw blockedError('bad-request', `The transfer coding ${coding} is not supported.`);
  return coding !== undefined || headers['content-length'] !== undefined;
};

const requestUpstream = async (agent: Dispatcher, request: IncomingMessage, url: URL, signal: AbortSignal) =>
  agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method ?? 'GET',
    // undici sets Host from the URL; the Node server has already handled Expect.
    headers: endToEndHeaders(request.rawHeaders, ['host', 'expect']),
    body: hasBody(request) ? request : null,
    responseHeaders: 'raw',
    signal,
  });

const checkContentLength = (raw: string[], maxBytes: number) => {
  const at = raw.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === 'content-length');
  if (at >= 0 && Number(raw[at + 1]) > maxBytes)
    throw blockedError('response-too-large', `The response is larger than ${maxBytes} bytes.`);
};

/**
 * Forwards one plain http request of the browser as a proxy (RFC 9112, 3.2.2) and returns the response.
 * Redirects are returned to the browser, so the next target is checked again.
 */
export const forward = async (
  { getAgent, maxResponseBytes, onError }: ForwardOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const aborter = new AbortController();
  response.once('close', () => aborter.abort());
  let target: Target | undefined;
  try {
    const parsed = httpTarget(request.url ?? '');
    target = parsed.target;
    const upstream = await requestUpstream(await getAgent(), request, parsed.url, aborter.signal);
    upstream.body.on('error', () => {});
    // With responseHeaders: 'raw' the headers are a list, although the type says a record.
    const headers = endToEndHeaders(upstream.headers as unknown as string[], proxyHeaders);
    checkContentLength(headers, maxResponseBytes);
    response.writeHead(upstream.statusCode, headers);
    await pipeline(upstream.body, limitBytes(maxResponseBytes), response);
  } catch (error) {
    aborter.abort();
    onError(error, target);
    sendErrorResponse(response, toEgressError(target?.host, error));
  }
};
