import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import { answerTrouble, meter } from './proxy-response.ts';
import { targetOfUrl, type Target } from './target.ts';
import { codeOf, EgressError, failed, refused, timedOut, type OnTrouble } from './trouble.ts';

/** Header lines as Node and undici keep them raw: name, value, name, value. */
type RawHeaders = string[];

// RFC 9110, 7.6.1, and what proxies have added to it in practice.
const hopByHop = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'proxy-authentication-info',
  'te', 'trailer', 'transfer-encoding', 'upgrade',
]);

const pairs = (raw: RawHeaders): [name: string, value: string][] =>
  Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i] ?? '', raw[2 * i + 1] ?? '']);

const namedByConnection = (headers: [string, string][]): string[] =>
  headers.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(',').map((option) => option.trim().toLowerCase()));

/** The headers that travel on, end to end; `less` names further ones to leave out. */
export const endToEnd = (raw: RawHeaders, less: string[] = []): RawHeaders => {
  const headers = pairs(raw);
  const dropped = new Set([...hopByHop, ...namedByConnection(headers), ...less]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
};

export type ForwardRules = { agent: Dispatcher; responseBytes: number; onTrouble: OnTrouble };

const plainTarget = (requestTarget: string) => {
  const found = targetOfUrl(requestTarget);
  if (found.url.protocol !== 'http:') throw refused('bad-target', 'https goes through a tunnel (CONNECT) only.');
  return found;
};

const hasBody = ({ headers }: IncomingMessage): boolean => {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') throw refused('bad-request', `The transfer coding ${coding} is not known here.`);
  return coding !== undefined || headers['content-length'] !== undefined;
};

const answerFrom = async (agent: Dispatcher, request: IncomingMessage, url: URL, signal: AbortSignal) =>
  agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method ?? 'GET',
    // undici writes the Host of the URL itself; the node server has answered Expect already.
    headers: endToEnd(request.rawHeaders, ['host', 'expect']),
    body: hasBody(request) ? request : null,
    responseHeaders: 'raw',
    signal,
  });

const exchangeTrouble = (host = 'the host', error: unknown): EgressError => {
  if (error instanceof EgressError) return error;
  const code = codeOf(error);
  const late = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
  return late ? timedOut(`${host} did not answer in time.`) : failed(`The exchange with ${host} failed (${code}).`, error);
};

const checkAnnounced = (raw: string[], maxBytes: number) => {
  const at = raw.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === 'content-length');
  if (at >= 0 && Number(raw[at + 1]) > maxBytes) throw refused('response-too-large', `The answer is larger than ${maxBytes} bytes.`);
};

/** Passes one plain http request of the browser on, as its proxy (RFC 9112, 3.2.2), and the answer back. Redirects go back as they are, so the next hop is judged anew. */
export const forward = async ({ agent, responseBytes, onTrouble }: ForwardRules, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let target: Target | undefined;
  try {
    const found = plainTarget(request.url ?? '');
    target = found.target;
    const answer = await answerFrom(agent, request, found.url, gone.signal);
    answer.body.on('error', () => {});
    // The types know the headers as a record; asked for raw, they are a list.
    const headers = endToEnd(answer.headers as unknown as string[]);
    checkAnnounced(headers, responseBytes);
    response.writeHead(answer.statusCode, headers);
    await pipeline(answer.body, meter(responseBytes), response);
  } catch (error) {
    gone.abort();
    onTrouble(error, target);
    answerTrouble(response, exchangeTrouble(target?.host, error));
  }
};
