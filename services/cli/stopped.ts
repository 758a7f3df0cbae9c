/** Resolves with the signal's name when the process is told to stop; told a second time, it stops at once. */
export const stopped = (): Promise<string> =>
  new Promise((resolve) => {
    let told = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (told) process.exit(1);
        told = true;
        resolve(signal);
      });
    }
  });
