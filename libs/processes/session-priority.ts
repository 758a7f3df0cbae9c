import { writeFile } from 'node:fs/promises';
import pRetry from 'p-retry';

/** The kernel lets an ordinary user change one session in 100 ms. */
const busyCode = 'EAGAIN';
const retryOptions = { retries: 9, minTimeout: 120, factor: 1, unref: true };

/**
 * Where the kernel divides processor time among sessions (autogroup), niceness has no effect unless the session itself
 * has a lower priority. Elsewhere this does nothing. `processGroup` leads a session of its own.
 */
export const lowerSessionPriority = (processGroup: number, niceness: number): Promise<void> =>
  pRetry(() => writeFile(`/proc/${processGroup}/autogroup`, String(niceness)), {
    ...retryOptions,
    shouldRetry: ({ error }) => (error as NodeJS.ErrnoException).code === busyCode,
  }).catch(() => undefined);
