import { performance } from 'node:perf_hooks';
import type { Dispatcher } from 'undici';
import { targetOfUrl } from './target.ts';
import { EgressError, timeoutError, toEgressError, type OnEgressError, type EgressErrorFields } from './errors.ts';

/** One request to a receiver. `timeoutMs` covers look-up, connection, and the response's status and headers together. */
export type WebhookRequest = {
  /** The id of the account that owns the webhook. */
  account: string;
  url: string;
  method: 'POST' | 'PUT';
  headers: Record<string, string>;
  body: Uint8Array;
  timeoutMs: number;
  maxResponseBytes: number;
};

/** Names in lower case. A header that occurs more than once has a list. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * A request with a status is answered, even if the body fails. `body` is the start of the body as text: what was received
 * in time, at most `maxResponseBytes` bytes. `reason` is a sentence for the caller.
 */
export type WebhookResult =
  | { kind: 'responded'; status: number; headers: ResponseHeaders; body: string; durationMs: number }
  | { kind: 'timeout' | 'blocked' | 'failed'; reason: string; durationMs: number };

type ResponseHead = { status: number; headers: ResponseHeaders };
type WebhookResponse = ResponseHead & { body: string };
type WaitPhase = { name: 'connecting' } | { name: 'waiting' };
type RequestPhase = WaitPhase | { name: 'reading'; head: ResponseHead };

const timeoutReason = (host: string, phase: WaitPhase, timeoutMs: number): string => {
  const limit = `within ${timeoutMs / 1000} s`;
  switch (phase.name) {
    case 'connecting':
      return `There was no connection to ${host} ${limit}.`;
    case 'waiting':
      return `${host} accepted the request and did not respond ${limit}.`;
  }
};

/** The start of a body as text, without a character that the limit cuts in two. */
const decodeBodyStart = (chunks: Buffer[], maxBytes: number): string =>
  new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes), { stream: true });

const bodyLimitReached = new Error('enough of the response has been read');

type ResponseLimits = { /** How long the body of a response is read. */ bodyTimeoutMs: number };

const performRequest = (
  agent: Dispatcher,
  url: URL,
  host: string,
  request: WebhookRequest,
  { bodyTimeoutMs }: ResponseLimits,
): Promise<WebhookResponse> => {
  const { promise, resolve, reject } = Promise.withResolvers<WebhookResponse>();
  let phase: RequestPhase = { name: 'connecting' };
  let timedOut: EgressError | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let bodyTimer: NodeJS.Timeout | undefined;
  const chunks: Buffer[] = [];
  let received = 0;

  const finish = (head: ResponseHead) => {
    clearTimeout(deadline);
    clearTimeout(bodyTimer);
    resolve({ ...head, body: decodeBodyStart(chunks, request.maxResponseBytes) });
  };

  const stopReading = (head: ResponseHead) => {
    finish(head);
    controller?.abort(bodyLimitReached);
  };

  const fail = (error: Error) => {
    if (phase.name === 'reading') return finish(phase.head);
    clearTimeout(deadline);
    reject(toEgressError(host, error));
  };

  const deadline = setTimeout(() => {
    if (phase.name === 'reading') return stopReading(phase.head);
    timedOut = timeoutError(timeoutReason(host, phase, request.timeoutMs));
    reject(timedOut);
    controller?.abort(timedOut);
  }, request.timeoutMs);

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(requestController) {
      // The connection can be made after the timeout. Then nothing may be sent on it.
      if (timedOut) return requestController.abort(timedOut);
      controller = requestController;
      phase = { name: 'waiting' };
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return;
      const head = { status, headers };
      phase = { name: 'reading', head };
      bodyTimer = setTimeout(() => stopReading(head), bodyTimeoutMs);
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk);
      received += chunk.length;
      if (received >= request.maxResponseBytes && phase.name === 'reading') stopReading(phase.head);
    },
    onResponseEnd() {
      if (phase.name === 'reading') finish(phase.head);
    },
    onResponseError: (_controller, error) => fail(error),
  };

  try {
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: request.headers,
        body: request.body,
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
 * Sends one request. Network and receiver errors are results, not exceptions. Redirects are not followed.
 */
export const sendWebhookRequest = async (
  agent: Dispatcher,
  request: WebhookRequest,
  limits: ResponseLimits,
  onError: OnEgressError,
): Promise<WebhookResult> => {
  const start = performance.now();
  const durationMs = () => Math.round(performance.now() - start);
  try {
    const { url, target } = targetOfUrl(request.url);
    const response = await performRequest(agent, url, target.host, request, limits);
    return { kind: 'responded', ...response, durationMs: durationMs() };
  } catch (error) {
    onError(error);
    const { kind, reason } = errorFieldsOf(error);
    return { kind, reason, durationMs: durationMs() };
  }
};
