import type { ErrorExtra, ErrorName } from './errors.ts';

/** An ApiError as plain data, for worker messages, the bus and the event log. */
export type ApiErrorFields = { name: ErrorName; message: string; extra: Record<string, unknown> };

/** An error that the caller sees. `message` says what was wrong, where, and what is allowed. */
export class ApiError extends Error {
  readonly fields: ApiErrorFields;

  private constructor(fields: ApiErrorFields) {
    super(fields.message);
    this.name = 'ApiError';
    this.fields = fields;
  }

  static of<N extends ErrorName>(
    name: N,
    message: string,
    ...extra: {} extends ErrorExtra<N> ? [ErrorExtra<N>?] : [ErrorExtra<N>]
  ): ApiError {
    return new ApiError({ name, message, extra: extra[0] ?? {} });
  }

  static from(fields: ApiErrorFields): ApiError {
    return new ApiError(fields);
  }
}

const maxMessageTextLength = 200;

/** A caller's text for use in an error message: its first 200 characters. */
export const truncateForMessage = (text: string): string =>
  text.length > maxMessageTextLength ? `${text.slice(0, maxMessageTextLength)}...` : text;
