export type RefusalCode =
  | 'bad-target'
  | 'bad-request'
  | 'address-not-public'
  | 'port-not-allowed'
  | 'too-many-connections'
  | 'response-too-large';

/** Why something did not get through the door. `reason` is a sentence for the caller; it names no address that only the inside knows. */
export type EgressErrorFields =
  { kind: 'blocked'; code: RefusalCode; reason: string } | { kind: 'timeout' | 'failed'; reason: string };

/** A refusal as the operator sees it: the code, and what the caller is not told. */
export type Refusal = { code: RefusalCode; logFields: Record<string, unknown> };

/** Carries a trouble through the callbacks and streams of the HTTP libraries. `refusal` is for the operator; it may stand beside a trouble that tells the caller of none. */
export class EgressError extends Error {
  readonly fields: EgressErrorFields;
  readonly refusal: Refusal | undefined;

  constructor(trouble: EgressErrorFields, { refusal, cause }: { refusal?: Refusal | undefined; cause?: unknown } = {}) {
    super(trouble.reason, { cause });
    this.name = 'EgressError';
    this.fields = trouble;
    this.refusal = refusal;
  }
}

/**
 * The one answer for a name that does not exist and a name that leads to an address which may not be reached: who could tell them apart could list the names of
 * the internal DNS. `refusal` tells the operator that it was the second.
 */
export class NoPublicHostError extends EgressError {
  constructor(host: string, details: { refusal?: Refusal; cause?: unknown }) {
    super({ kind: 'failed', reason: `The host ${host} does not exist or has no public address.` }, details);
  }
}

/** Told of everything that did not get through, with the target where the error itself does not name it. */
export type OnEgressError = (error: unknown, target?: { host: string; port: number }) => void;

export const refusalError = (code: RefusalCode, reason: string, forLog: Record<string, unknown> = {}): EgressError =>
  new EgressError({ kind: 'blocked', code, reason }, { refusal: { code, logFields: forLog } });

export const timeoutError = (reason: string): EgressError => new EgressError({ kind: 'timeout', reason });

export const failureError = (reason: string, cause?: unknown): EgressError =>
  new EgressError({ kind: 'failed', reason }, { cause });

/** The code of a Node, OpenSSL or undici error; of several attempts, that of the last one. */
export const errorCodeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return errorCodeOf(error.errors.at(-1));
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};
