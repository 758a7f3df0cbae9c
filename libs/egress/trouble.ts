export type RefusalCode = 'bad-target' | 'bad-request' | 'address-not-public' | 'port-not-allowed' | 'too-many-connections' | 'response-too-large';

/** Why something did not get through the door. `reason` is a sentence for the caller; it names no address that only the inside knows. */
export type Trouble =
  | { kind: 'refused'; code: RefusalCode; reason: string }
  | { kind: 'timeout' | 'failed'; reason: string };

/** Carries a trouble through the callbacks and streams of the HTTP libraries; `forLog` is what the operator may know beyond the reason. */
export class EgressError extends Error {
  readonly trouble: Trouble;
  readonly forLog: Record<string, unknown>;

  constructor(trouble: Trouble, forLog: Record<string, unknown> = {}) {
    super(trouble.reason);
    this.name = 'EgressError';
    this.trouble = trouble;
    this.forLog = forLog;
  }
}

/** Told of everything that did not get through, with the target where the error itself does not name it. */
export type OnTrouble = (error: unknown, target?: { host: string; port: number }) => void;

export const refused = (code: RefusalCode, reason: string, forLog?: Record<string, unknown>): EgressError =>
  new EgressError({ kind: 'refused', code, reason }, forLog);

export const timedOut = (reason: string): EgressError => new EgressError({ kind: 'timeout', reason });

export const failed = (reason: string, cause?: unknown): EgressError => new EgressError({ kind: 'failed', reason }, { cause: codeOf(cause) });

/** The code of a Node, OpenSSL or undici error; of several attempts, that of the last one. */
export const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return codeOf(error.errors.at(-1));
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};
