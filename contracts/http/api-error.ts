import type { ConformanceViolation } from './conformance.ts';
import type { ErrorEntry, ErrorExtra, ErrorName } from './errors.ts';

/** An ApiError as plain data, for worker messages, the bus and the event log. */
export type ApiErrorFields = { name: ErrorName; message: string; extra: Record<string, unknown> };

/** An error that the caller sees. `message` says what was wrong, where, and what is allowed. */
export class ApiError extends Error {
  readonly fields: ApiErrorFields;
  declare readonly cause?: string;

  private constructor(fields: ApiErrorFields, cause?: string) {
    super(fields.message, cause === undefined ? {} : { cause });
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

  /** `cause` is for the log; callers do not see it. */
  static from(fields: ApiErrorFields, cause?: string): ApiError {
    return new ApiError(fields, cause);
  }
}

/** The error of a field or a header of a request. */
export const invalidField = (field: string, message: string): ApiError =>
  ApiError.of('invalid_request', message, { field });

/** The error of a part of a request, with the path of the part in its field and its message. `message` replaces the latter. */
export const errorOfPart = (at: string, { fields }: ApiError, message = `${at}: ${fields.message}`): ApiError => {
  const { field } = fields.extra;
  const extra = { ...fields.extra, field: typeof field === 'string' ? `${at}.${field}` : at };
  return ApiError.from({ ...fields, message, extra });
};

/** The whole seconds until a time, at least one. */
export const secondsUntil = (time: Date, now: Date): number =>
  Math.max(1, Math.ceil((time.getTime() - now.getTime()) / 1000));

/** The error of a caller who has reached a limit, which begins anew at `resetAt`. */
export const rateLimitExceeded = (message: string, limit: number, resetAt: Date, now: Date): ApiError =>
  ApiError.of('rate_limit_exceeded', message, {
    limit,
    retry_after: secondsUntil(resetAt, now),
    reset_at: resetAt.toISOString(),
  });

/** The end of a message that names only the first of `total` violations. */
export const furtherViolations = (total: number): string =>
  total === 1 ? '' : ` There ${total === 2 ? 'is 1' : `are ${total - 1}`} more.`;

export const maxListedViolations = 50;

/** The error of a document that cannot conform. `violations` are the first ones, or all. */
export const conformanceNotMet = (violations: readonly ConformanceViolation[], total = violations.length): ApiError => {
  const { element, message } = violations[0]!;
  return ApiError.of(
    'conformance_not_met',
    `The document cannot conform yet. ${element}: ${message}${furtherViolations(total)}`,
    { violations: violations.slice(0, maxListedViolations), total_violations: total },
  );
};

const maxListedErrors = 50;
const maxListedCharacters = 16_000;

const entryOf = ({ fields: { name, message, extra } }: ApiError): ErrorEntry => ({
  error: name === 'render_template_not_found' ? 'template_not_found' : name,
  message,
  ...extra,
});

type CombinedFields = { errors?: ErrorEntry[]; omitted_errors?: number };

/**
 * One error for all errors of a request. It is the first of them. If there are more, its field `errors` lists all, the
 * first included: at most 50 in 16,000 characters. `omitted_errors` is the number of those that are not listed, with
 * the `uncollected` ones, which the caller counted only. Combined errors can be combined again.
 */
export const combineErrors = (all: readonly [ApiError, ...ApiError[]], uncollected = 0): ApiError => {
  const [first, ...others] = all;
  if (others.length + uncollected === 0) return first;
  const entries = all.flatMap((error) => (error.fields.extra as CombinedFields).errors ?? [entryOf(error)]);
  const omittedBefore = all.reduce(
    (sum, { fields }) => sum + ((fields.extra as CombinedFields).omitted_errors ?? 0),
    uncollected,
  );
  const listed: ErrorEntry[] = [];
  let characters = 0;
  for (const entry of entries.slice(0, maxListedErrors)) {
    characters += JSON.stringify(entry).length;
    if (listed.length > 0 && characters > maxListedCharacters) break;
    listed.push(entry);
  }
  const omitted = entries.length + omittedBefore - listed.length;
  const { name, message } = first.fields;
  const { errors: _errors, omitted_errors: _omitted, ...extra } = first.fields.extra as CombinedFields;
  return ApiError.from({
    name,
    message,
    extra: { ...extra, errors: listed, ...(omitted > 0 ? { omitted_errors: omitted } : {}) },
  });
};

/** @throws ApiError one for all of the errors, if there are any */
export const throwErrors = ([first, ...others]: readonly ApiError[], uncollected = 0): void => {
  if (first) throw combineErrors([first, ...others], uncollected);
};

const maxMessageTextLength = 200;

/** A caller's text for use in an error message: its first 200 characters. */
export const truncateForMessage = (text: string): string =>
  text.length > maxMessageTextLength ? `${text.slice(0, maxMessageTextLength)}...` : text;
