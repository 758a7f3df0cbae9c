import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** The kernel lets an ordinary user change one session in 100 ms. */
const busy = { code: 'EAGAIN', retryMs: 120, attempts: 10 };

/**
 * Where the kernel divides processor time among sessions (autogroup), niceness has no effect unless the session itself
 * has a lower priority. Elsewhere this does nothing. `processGroup` leads a session of its own.
 */
export const lowerSessionPriority = async (processGroup: number, niceness: number): Promise<void> => {
  for (let attempt = 1; attempt <= busy.attempts; attempt += 1) {
    try {
      return await writeFile(`/proc/${processGroup}/autogroup`, String(niceness));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== busy.code) return;
      await pause(busy.retryMs, undefined, { ref: false });
    }
  }
};
