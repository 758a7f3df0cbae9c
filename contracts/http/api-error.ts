import type { ErrorExtra, ErrorName } from './errors.ts';

/** A failure with plain data only, as it crosses a thread, the bus or the log. */
export type ApiErrorFields = { name: ErrorName; message: string; extra: Record<string, unknown> };

/** The one way to raise an error that a caller shall see. `message` is for the caller: what was wrong, where, what is allowed. */
export class ApiError extends Error {
  readonly fields: ApiErrorFields;

  private constructor(fault: ApiErrorFields) {
    super(fault.message);
    this.name = 'ApiError';
    this.fields = fault;
  }

  static of<N extends ErrorName>(
    name: N,
    message: string,
    ...extra: {} extends ErrorExtra<N> ? [ErrorExtra<N>?] : [ErrorExtra<N>]
  ): ApiError {
    return new ApiError({ name, message, extra: extra[0] ?? {} });
  }

  static from(fault: ApiErrorFields): ApiError {
    return new ApiError(fault);
  }
}

const maxMessageTextLength = 200;

/** A text of a caller as it may stand in an answer: at most 200 characters of it. */
export const truncateForMessage = (text: string): string =>
  text.length > maxMessageTextLength ? `${text.slice(0, maxMessageTextLength)}...` : text;
