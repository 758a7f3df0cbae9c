const repeatedSignalMs = 1_000;

/**
 * Resolves with the name of the first stop signal, or when `stopped` aborts. A later signal ends the process at once.
 * The same signal often comes twice at the same moment, from the process group and from npm: this counts as one.
 */
export const waitForStopSignal = (stopped?: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    stopped?.addEventListener('abort', () => resolve('stopped'), { once: true });
    let firstSignalAt: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (firstSignalAt !== undefined && performance.now() - firstSignalAt > repeatedSignalMs) process.exit(1);
        firstSignalAt ??= performance.now();
        resolve(signal);
      });
    }
  });
