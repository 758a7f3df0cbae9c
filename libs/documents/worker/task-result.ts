import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';

/** What a worker answers: a Problem's class does not survive the way between processes, its fault does. */
export type TaskResult<T> = { value: T } | { error: ApiErrorFields };

export const isTaskError = <T>(answer: TaskResult<T>): answer is { error: ApiErrorFields } => 'error' in answer;

/** Runs a task and turns what it raises into an answer. What is no Problem and no exhausted stack stays an error. */
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
        'The document grows too large while it is converted. Split it into smaller ones.',
        { details: 'too large' },
      )
    : ApiError.of('conversion_failed', 'The document is nested too deeply to be converted.', {
        details: 'nested too deeply',
      });
