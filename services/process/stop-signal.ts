import { once } from 'node:events';

export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

const repeatedSignalMs = 1_000;

/**
 * Resolves with the name of the first of these signals that comes. A later one ends the process at once. The same
 * signal often comes twice at the same moment, from the process group and from npm: this counts as one.
 */
export const firstStopSignal = (signals: readonly StopSignal[]): Promise<StopSignal> =>
  new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        if (firstAt !== undefined && performance.now() - firstAt > repeatedSignalMs) process.exit(1);
        firstAt ??= performance.now();
        resolve(signal);
      });
    }
  });

/** Resolves with the reason of the signal when it aborts. */
export const abortReason = async (signal: AbortSignal): Promise<string> => {
  if (!signal.aborted) await once(signal, 'abort');
  return String(signal.reason);
};
