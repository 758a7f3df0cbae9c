import { performance } from 'node:perf_hooks';
import type { Dispatcher } from 'undici';
import { targetOfUrl } from './target.ts';
import {
  errorCodeOf,
  EgressError,
  failureError,
  timeoutError,
  type OnEgressError,
  type EgressErrorFields,
} from './errors.ts';

/** One request to a receiver. `timeoutMs` covers look-up, connection, and the answer's status and headers together. */
export type WebhookRequest = {
  /** Whose callback it is. */
  account: string;
  url: string;
  method: 'POST' | 'PUT';
  headers: Record<string, string>;
  body: Uint8Array;
  timeoutMs: number;
  maxResponseBytes: number;
};

/**
 * The status decides: once it is there, the call is answered, whatever becomes of the body. `body` is the beginning of the body as text:
 * what came in time, at most `maxResponseBytes` of it. `reason` is a sentence for the caller.
 */
export type WebhookResult =
  | { kind: 'responded'; status: number; body: string; durationMs: number }
  | { kind: 'timeout' | 'blocked' | 'failed'; reason: string; durationMs: number };

type WebhookResponse = { status: number; body: string };
type WaitPhase = { name: 'connecting' } | { name: 'waiting' };
type RequestPhase = WaitPhase | { name: 'reading'; status: number };

const timeoutReason = (host: string, phase: WaitPhase, timeoutMs: number): string => {
  const limit = `within ${timeoutMs / 1000} s`;
  switch (phase.name) {
    case 'connecting':
      return `There was no connection to ${host} ${limit}.`;
    case 'waiting':
      return `${host} took the request and did not answer ${limit}.`;
  }
};

const toRequestError = (host: string, error: Error): EgressError => {
  if (error instanceof EgressError) return error;
  const code = errorCodeOf(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return failureError(`${host} answered with too large a head.`, error);
  if (code.startsWith('HPE_') || code === 'HTTPParserError')
    return failureError(`${host} answered with something that is not HTTP.`, error);
  if (code === 'UND_ERR_INVALID_ARG')
    return failureError('The request cannot be sent as it stands: a header is not allowed.', error);
  if (!['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(code))
    return failureError(`The exchange with ${host} failed (${code}).`, error);
  return failureError(`${host} closed the connection without an answer.`, error);
};

/** The beginning of a body as text; a character that the limit cuts in two is left out. */
const decodeBodyStart = (chunks: Buffer[], maxBytes: number): string =>
  new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes), { stream: true });

const bodyLimitReached = new Error('enough of the answer has been read');

type ResponseLimits = { /** How long the body of an answer is read. */ bodyTimeoutMs: number };

const performRequest = (
  agent: Dispatcher,
  url: URL,
  host: string,
  call: WebhookRequest,
  { bodyTimeoutMs }: ResponseLimits,
): Promise<WebhookResponse> => {
  const { promise, resolve, reject } = Promise.withResolvers<WebhookResponse>();
  let phase: RequestPhase = { name: 'connecting' };
  let late: EgressError | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let bodyTimer: NodeJS.Timeout | undefined;
  const chunks: Buffer[] = [];
  let received = 0;

  const answer = (status: number) => {
    clearTimeout(deadline);
    clearTimeout(bodyTimer);
    resolve({ status, body: decodeBodyStart(chunks, call.maxResponseBytes) });
  };

  const leave = (status: number) => {
    answer(status);
    controller?.abort(bodyLimitReached);
  };

  const fail = (error: Error) => {
    if (phase.name === 'reading') return answer(phase.status);
    clearTimeout(deadline);
    reject(toRequestError(host, error));
  };

  const deadline = setTimeout(() => {
    if (phase.name === 'reading') return leave(phase.status);
    late = timeoutError(timeoutReason(host, phase, call.timeoutMs));
    reject(late);
    controller?.abort(late);
  }, call.timeoutMs);

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(given) {
      // A connection may come about after the deadline; nothing may be sent on it any more.
      if (late) return given.abort(late);
      controller = given;
      phase = { name: 'waiting' };
    },
    onResponseStart(_controller, status) {
      if (status < 200) return;
      phase = { name: 'reading', status };
      bodyTimer = setTimeout(() => leave(status), bodyTimeoutMs);
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk);
      received += chunk.length;
      if (received >= call.maxResponseBytes && phase.name === 'reading') leave(phase.status);
    },
    onResponseEnd() {
      if (phase.name === 'reading') answer(phase.status);
    },
    onResponseError: (_controller, error) => fail(error),
  };

  try {
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: call.method,
        headers: call.headers,
        body: call.body,
      },
      handler,
    );
  } catch (error) {
    fail(error as Error);
  }
  return promise;
};

const errorFieldsOf = (error: unknown): EgressErrorFields => {
  if (error instanceof EgressError) return error.fields;
  throw error;
};

/**
 * Sends one request through the door and reports what came of it; never throws for what the network or the receiver does.
 * A redirect is an answer like any other: it is not followed.
 */
export const sendWebhookRequest = async (
  agent: Dispatcher,
  call: WebhookRequest,
  limits: ResponseLimits,
  onTrouble: OnEgressError,
): Promise<WebhookResult> => {
  const start = performance.now();
  const durationMs = () => Math.round(performance.now() - start);
  try {
    const { url, target } = targetOfUrl(call.url);
    const { status, body } = await performRequest(agent, url, target.host, call, limits);
    return { kind: 'responded', status, body, durationMs: durationMs() };
  } catch (error) {
    onTrouble(error);
    const { kind, reason } = errorFieldsOf(error);
    return { kind, reason, durationMs: durationMs() };
  }
};
