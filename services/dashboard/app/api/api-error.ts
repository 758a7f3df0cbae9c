/** One of several errors of a request. */
export type ErrorEntry = { error: string; message: string; field?: string; line?: number; did_you_mean?: string };

/** The body of an error response of the API. */
export type ErrorBody = ErrorEntry & {
  code: number;
  request_id: string;
  trace_id?: string;
  errors?: ErrorEntry[];
  retry_after?: number;
  required_permission?: string;
  [other: string]: unknown;
};

/** An error that the API returned, or that prevented a request from reaching it. */
export class ApiError extends Error {
  /** The error code of the API, or `network_error` if there was no response. */
  readonly error: string;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly field: string | null;
  readonly line: number | null;
  readonly requestId: string | null;
  /** All errors of the request; at least one. */
  readonly all: readonly ErrorEntry[];
  /** All fields of the response. */
  readonly body: Readonly<Partial<ErrorBody>>;

  constructor(status: number, body: Partial<ErrorBody> & ErrorEntry) {
    super(body.message);
    this.name = 'ApiError';
    this.error = body.error;
    this.status = status;
    this.field = body.field ?? null;
    this.line = body.line ?? null;
    this.requestId = body.request_id ?? null;
    this.all = body.errors ?? [body];
    this.body = body;
  }
}

/** Whether the same request may succeed a moment later: no connection, or a service that has no room at the moment. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 502 || error.status === 503);

/** The message for each field of a form; the keys are the fields of the API. */
export const fieldErrorsOf = (error: unknown): Record<string, string> =>
  error instanceof ApiError
    ? Object.fromEntries(error.all.flatMap(({ field, message }) => (field ? [[field, message]] : [])))
    : {};
