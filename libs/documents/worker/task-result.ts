import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';

/** The result of a task. An ApiError loses its class between processes, so only its fields are sent. */
export type TaskResult<T> = { value: T } | { error: ApiErrorFields };

export const isTaskError = <T>(result: TaskResult<T>): result is { error: ApiErrorFields } => 'error' in result;

/** Runs a task and converts an ApiError or an exhausted stack to a result. Other errors are thrown. */
export const runTask = async <T>(task: () => T | Promise<T>): Promise<TaskResult<T>> => {
  try {
    return { value: await task() };
  } catch (error) {
    if (error instanceof ApiError) return { error: error.fields };
    if (error instanceof RangeError) return { error: resourcesExhaustedError(error).fields };
    throw error;
  }
};

const resourcesExhaustedError = (error: RangeError) =>
  /string length|array length|allocation/i.test(error.message)
    ? ApiError.of(
        'conversion_failed',
        'The document becomes too large when it is converted. Split it into smaller ones.',
        { details: 'too large' },
      )
    : ApiError.of('conversion_failed', 'The document is nested too deeply to be converted.', {
        details: 'nested too deeply',
      });
