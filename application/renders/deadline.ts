import type { PrintResult, Printer, PrintRequest } from '#libs/chromium/printer.ts';
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
      // The start of a process is part of the wait, and may take longer.
      waitTimeoutMs: Math.max(0, processingMs - elapsed.waitedMs),
      group: accountId,
      onStart: () => (startedAt = performance.now()),
    });
  } finally {
    elapsed.waitedMs += (startedAt ?? submittedAt) - submittedAt;
    elapsed.workedMs += performance.now() - (startedAt ?? submittedAt);
  }
};

/** Prints within the remaining processing time. The wait for a browser has the same limit of its own. */
export const printWithinDeadline = async (
  { print }: Pick<Printer, 'print'>,
  { accountId, limits: { processingMs, scriptMs } }: RenderRequestedData,
  elapsed: ElapsedTimes,
  request: Omit<PrintRequest, 'group' | 'limits'>,
  maxPages: number | null,
): Promise<PrintResult> => {
  const printed = await print({
    ...request,
    group: accountId,
    limits: {
      processingMs: Math.max(0, processingMs - elapsed.workedMs),
      waitTimeoutMs: Math.max(0, processingMs - elapsed.waitedMs),
      scriptMs,
      maxPages,
    },
  });
  elapsed.waitedMs += printed.timings.waitMs;
  elapsed.workedMs += printed.timings.loadMs + printed.timings.printMs;
  return printed;
};
