import type { ErrorExtra, ErrorName } from './errors.ts';

/** A failure with plain data only, as it crosses a thread, the bus or the log. */
export type Fault = { name: ErrorName; message: string; extra: Record<string, unknown> };

/** The one way to raise an error that a caller shall see. `message` is for the caller: what was wrong, where, what is allowed. */
export class Problem extends Error {
  readonly fault: Fault;

  private constructor(fault: Fault) {
    super(fault.message);
    this.name = 'Problem';
    this.fault = fault;
  }

  static of<N extends ErrorName>(name: N, message: string, ...extra: {} extends ErrorExtra<N> ? [ErrorExtra<N>?] : [ErrorExtra<N>]): Problem {
    return new Problem({ name, message, extra: extra[0] ?? {} });
  }

  static from(fault: Fault): Problem {
    return new Problem(fault);
  }
}

const longest = 200;

/** A text of a caller as it may stand in an answer: at most 200 characters of it. */
export const brief = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}...` : text);
