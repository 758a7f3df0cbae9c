import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import { sendErrorResponse, limitBytes } from './proxy-response.ts';
import { targetOfUrl, type Target } from './target.ts';
import { errorCodeOf, EgressError, failureError, refusalError, timeoutError, type OnEgressError } from './errors.ts';

/** Header lines as Node and undici keep them raw: name, value, name, value. */
type RawHeaders = string[];

// RFC 9110, 7.6.1, and what proxies have added to it in practice.
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

/** The headers that travel on, end to end; `less` names further ones to leave out. */
export const endToEndHeaders = (raw: RawHeaders, less: string[] = []): RawHeaders => {
  const headers = headerPairs(raw);
  const dropped = new Set([...hopByHop, ...connectionHeaders(headers), ...less]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
};

export type ForwardOptions = { agent: Dispatcher; maxResponseBytes: number; onError: OnEgressError };

const httpTarget = (requestTarget: string) => {
  const found = targetOfUrl(requestTarget);
  if (found.url.protocol !== 'http:') throw refusalError('bad-target', 'https goes through a tunnel (CONNECT) only.');
  return found;
};

const hasBody = ({ headers }: IncomingMessage): boolean => {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw refusalError('bad-request', `The transfer coding ${coding} is not known here.`);
  return coding !== undefined || headers['content-length'] !== undefined;
};

const requestUpstream = async (agent: Dispatcher, request: IncomingMessage, url: URL, signal: AbortSignal) =>
  agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method ?? 'GET',
    // undici writes the Host of the URL itself; the node server has answered Expect already.
    headers: endToEndHeaders(request.rawHeaders, ['host', 'expect']),
    body: hasBody(request) ? request : null,
    responseHeaders: 'raw',
    signal,
  });

const toForwardError = (host = 'the host', error: unknown): EgressError => {
  if (error instanceof EgressError) return error;
  const code = errorCodeOf(error);
  const late = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
  return late
    ? timeoutError(`${host} did not answer in time.`)
    : failureError(`The exchange with ${host} failed (${code}).`, error);
};

const checkContentLength = (raw: string[], maxBytes: number) => {
  const at = raw.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === 'content-length');
  if (at >= 0 && Number(raw[at + 1]) > maxBytes)
    throw refusalError('response-too-large', `The answer is larger than ${maxBytes} bytes.`);
};

/** Passes one plain http request of the browser on, as its proxy (RFC 9112, 3.2.2), and the answer back. Redirects go back as they are, so the next hop is judged anew. */
export const forward = async (
  { agent, maxResponseBytes, onError }: ForwardOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let target: Target | undefined;
  try {
    const found = httpTarget(request.url ?? '');
    target = found.target;
    const answer = await requestUpstream(agent, request, found.url, gone.signal);
    answer.body.on('error', () => {});
    // The types know the headers as a record; asked for raw, they are a list.
    const headers = endToEndHeaders(answer.headers as unknown as string[]);
    checkContentLength(headers, maxResponseBytes);
    response.writeHead(answer.statusCode, headers);
    await pipeline(answer.body, limitBytes(maxResponseBytes), response);
  } catch (error) {
    gone.abort();
    onError(error, target);
    sendErrorResponse(response, toForwardError(target?.host, error));
  }
};
