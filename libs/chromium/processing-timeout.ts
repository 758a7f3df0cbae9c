import { ApiError } from '#contracts/http/api-error.ts';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { BrowserGone, CommandFailed } from './cdp/errors.ts';

const processingTimeoutError = (milliseconds: number) => {
  const seconds = Math.ceil(milliseconds / 1000);
  return ApiError.of('processing_timeout', `The document could not be finished within ${seconds} s.`, {
    timeout_seconds: seconds,
  });
};

// A failed browser command is not an error of the document: it may succeed in another page.
const asBrowserGone = (error: unknown) =>
  error instanceof CommandFailed ? new BrowserGone(error.message, { cause: error }) : error;

/** Runs the work and fails with processing_timeout after the time limit, even if the work ignores its signal. */
export const withProcessingTimeout = async <T>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  try {
    return await runWithTimeout(Math.max(0, milliseconds), work, {
      createError: () => processingTimeoutError(milliseconds),
    });
  } catch (error) {
    throw asBrowserGone(error);
  }
};
