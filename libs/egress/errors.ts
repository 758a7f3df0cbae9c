export type BlockCode =
  | 'bad-target'
  | 'bad-request'
  | 'address-not-public'
  | 'port-not-allowed'
  | 'too-many-connections'
  | 'response-too-large';

/** Why a connection or request failed. `reason` is a sentence for the caller; it contains no internal address. */
export type EgressErrorFields =
  { kind: 'blocked'; code: BlockCode; reason: string } | { kind: 'timeout' | 'failed'; reason: string };

/** A blocked request for the operator's log: the code and the details that the caller must not see. */
export type BlockDetails = { code: BlockCode; logFields: Record<string, unknown> };

/** `fields` is for the caller, `block` for the operator. It can be set where `fields` hides the block from the caller. */
export class EgressError extends Error {
  readonly fields: EgressErrorFields;
  readonly block: BlockDetails | undefined;

  constructor(fields: EgressErrorFields, { block, cause }: { block?: BlockDetails | undefined; cause?: unknown } = {}) {
    super(fields.reason, { cause });
    this.name = 'EgressError';
    this.fields = fields;
    this.block = block;
  }
}

/**
 * The same error for a name that does not exist and a name with a blocked address. If they differed, a caller could
 * list the names of the internal DNS. `block` is set for the second case.
 */
export class NoPublicHostError extends EgressError {
  constructor(host: string, details: { block?: BlockDetails; cause?: unknown }) {
    super({ kind: 'failed', reason: `The host ${host} does not exist or has no public address.` }, details);
  }
}

/** Called for every error. `target` is set when the error does not contain it. */
export type OnEgressError = (error: unknown, target?: { host: string; port: number }) => void;

/** `reason` is for the caller, `logFields` are for the operator only. */
export const blockedError = (code: BlockCode, reason: string, logFields: Record<string, unknown> = {}): EgressError =>
  new EgressError({ kind: 'blocked', code, reason }, { block: { code, logFields } });

export const timeoutError = (reason: string): EgressError => new EgressError({ kind: 'timeout', reason });

export const failureError = (reason: string, cause?: unknown): EgressError =>
  new EgressError({ kind: 'failed', reason }, { cause });

/** The code of a Node, OpenSSL or undici error. Of several attempts, the code of the last one. */
export const errorCodeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return errorCodeOf(error.errors.at(-1));
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};

/** The error of a request to the host, as one of egress. */
export const toEgressError = (host = 'the host', error: unknown): EgressError => {
  if (error instanceof EgressError) return error;
  const code = errorCodeOf(error);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return timeoutError(`${host} did not respond in time.`);
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return failureError(`${host} responded with headers that are too large.`, error);
  // undici asserts that a status is at least 100.
  const isStatusInvalid = code === 'ERR_ASSERTION' && (error as Error).message.includes('statusCode');
  if (code.startsWith('HPE_') || code === 'HTTPParserError' || isStatusInvalid)
    return failureError(`${host} responded with something that is not HTTP.`, error);
  if (code === 'UND_ERR_INVALID_ARG')
    return failureError('The request cannot be sent: a header is not allowed.', error);
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return failureError(`${host} responded with a Content-Length that is not that of its body.`, error);
  // undici names so a response with status 100 or 101.
  if (code === 'UND_ERR_SOCKET' && /^bad (?:response|upgrade)$/.test((error as Error).message))
    return failureError(`${host} responded with status 100 or 101, which the request did not ask for.`, error);
  if (['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(code))
    return failureError(`${host} closed the connection without a response.`, error);
  return failureError(`The request to ${host} failed (${code}).`, error);
};
