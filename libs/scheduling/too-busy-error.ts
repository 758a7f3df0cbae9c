import { ApiError } from '#contracts/http/api-error.ts';

const retryAfterSeconds = 5;

/** What a caller is told whose work had no place within `waitMs`. `what` begins the sentence. The service is at fault, so the quota gets the render back. */
export const tooBusyError = (what: string, waitMs: number): ApiError =>
  ApiError.of(
    'service_unavailable',
    `${what} within ${Math.ceil(waitMs / 1000)} s: the service is too busy. Try again in ${retryAfterSeconds} s.`,
    { retry_after: retryAfterSeconds },
  );
