import { Problem } from '#contracts/http/problem.ts';
import { withTimeout } from '#libs/concurrency/timeout.ts';
import { BrowserGone, CommandFailed } from './devtools/gone.ts';

const tooLate = (milliseconds: number) => {
  const seconds = Math.ceil(milliseconds / 1000);
  return Problem.of('processing_timeout', `The document could not be finished within ${seconds} s.`, { timeout_seconds: seconds });
};

// A command that the browser refuses has nothing to do with the document: another page may take it.
const asFailure = (error: unknown) => (error instanceof CommandFailed ? new BrowserGone(error.message, { cause: error }) : error);

/** Runs the work, and fails with processing_timeout once the milliseconds are over, whether the work notices its signal or not. */
export const underDeadline = async <T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  try {
    return await withTimeout(Math.max(0, milliseconds), work, { error: () => tooLate(milliseconds) });
  } catch (error) {
    throw asFailure(error);
  }
};
