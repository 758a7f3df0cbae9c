import type { TaskOptions } from '#libs/documents/worker-pool.ts';
import type { RenderRequestedData } from './load-inputs.ts';

/** How long a render has waited for processes, and how long they have worked on it. */
export type ElapsedTimes = { waitedMs: number; workedMs: number };

/** Runs a task within the remaining processing time. The wait for a process has the same limit of its own. */
export const runWithinDeadline = async <T>(
  { accountId, limits: { processingMs } }: RenderRequestedData,
  elapsed: ElapsedTimes,
  task: (options: TaskOptions) => Promise<T>,
): Promise<T> => {
  const submittedAt = performance.now();
  let startedAt: number | null = null;
  try {
    return await task({
      timeoutMs: Math.max(0, processingMs - elapsed.workedMs),
      waitTimeoutMs: processingMs - elapsed.waitedMs,
      group: accountId,
      onStart: () => (startedAt = performance.now()),
    });
  } finally {
    elapsed.waitedMs += (startedAt ?? submittedAt) - submittedAt;
    elapsed.workedMs += performance.now() - (startedAt ?? submittedAt);
  }
};
