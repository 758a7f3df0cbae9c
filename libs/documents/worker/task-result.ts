import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';

/** An unexpected error, for the log. `isOfSystem`: a disk or a process caused it, and another attempt may succeed. */
export type TaskFailure = { message: string; isOfSystem: boolean };

/**
 * The result of a task. An ApiError loses its class between processes, so only its fields are sent. `failure` beside
 * them is an unexpected error that the document causes.
 */
export type TaskResult<T> =
  { value: T } | { error: ApiErrorFields; failure?: TaskFailure } | { failure: TaskFailure; endsProcess?: true };

export const isTaskError = <T>(result: TaskResult<T>): result is { error: ApiErrorFields; failure?: TaskFailure } =>
  'error' in result;

const maxFailureLength = 2_000;

/** Errors of the system name the call that failed. An incomplete installation causes errors of modules. */
const isOfSystem = (error: unknown): boolean =>
  error instanceof Error && ('syscall' in error || ('code' in error && /MODULE|DLOPEN/.test(String(error.code))));

/** The failure of an unexpected error, with its stack, truncated. */
export const failureOf = (error: unknown): TaskFailure => ({
  message: String((error instanceof Error && error.stack) || error).slice(0, maxFailureLength),
  isOfSystem: isOfSystem(error),
});

/**
 * Runs a task. Every error becomes a result, so that the process continues. An ApiError and an exhausted stack are errors
 * of the document. With `readsInput`, every other error is too, unless the system caused it. The rest are failures.
 */
export const runTask = async <T>(
  task: () => T | Promise<T>,
  { readsInput }: { readsInput: boolean },
): Promise<TaskResult<T>> => {
  try {
    return { value: await task() };
  } catch (error) {
    if (error instanceof ApiError) return { error: error.fields };
    const exhausted = error instanceof RangeError ? exhaustedError(error) : null;
    if (exhausted) return { error: exhausted.fields };
    const failure = failureOf(error);
    return readsInput && !failure.isOfSystem ? { error: unreadableError().fields, failure } : { failure };
  }
};

const exhaustedError = ({ message }: RangeError): ApiError | null => {
  if (/string length|array length|allocation/i.test(message))
    return ApiError.of(
      'conversion_failed',
      'The document becomes too large when it is converted. Split it into smaller ones.',
      { details: 'too large' },
    );
  return /call stack/i.test(message)
    ? ApiError.of('conversion_failed', 'The document is nested too deeply to be converted.', {
        details: 'nested too deeply',
      })
    : null;
};

const unreadableError = (): ApiError =>
  ApiError.of(
    'conversion_failed',
    'The document has content that the service cannot convert. Save it again with another program, or simplify it.',
    { details: 'unexpected content' },
  );
