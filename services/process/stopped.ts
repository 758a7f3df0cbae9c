const repeatMs = 1_000;

/**
 * Resolves with the signal's name when the process is told to stop; told again, it stops at once. The same signal often comes
 * twice at the same moment, by way of the process group and of npm: that is one telling.
 */
export const stopped = (): Promise<string> =>
  new Promise((resolve) => {
    let toldAt: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (toldAt !== undefined && performance.now() - toldAt > repeatMs) process.exit(1);
        toldAt ??= performance.now();
        resolve(signal);
      });
    }
  });
