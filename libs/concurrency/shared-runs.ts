/** Runs `work` for any number of callers: calls during a run share the next one, which begins after all of them. */
export const shareRuns = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const run = async (): Promise<T> => {
    if (!running) return (running = work().finally(() => (running = undefined)));
    return (next ??= running
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        next = undefined;
        return run();
      }));
  };
  return run;
};
