import { ApiError } from '#contracts/http/api-error.ts';

const retryAfterSeconds = 5;

/**
 * The error for a caller whose task got no permit within `waitedMs` milliseconds. `what` is the start of the sentence,
 * such as `No browser was free`. The service is at fault, so the render does not count toward the quota.
 */
export const tooBusyError = (what: string, waitedMs: number): ApiError =>
  ApiError.of(
    'service_unavailable',
    `${what} within ${Math.ceil(waitedMs / 1000)} s: the service is too busy. Try again in ${retryAfterSeconds} s.`,
    { retry_after: retryAfterSeconds },
  );
