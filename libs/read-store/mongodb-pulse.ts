const shortestMs = 5;
const longestMs = 25;

/** Lets callers wait for what this process or another one brings about. */
export const openPulse = () => {
  const sleepers = new Set<() => void>();
  let stopped = false;
  const beat = (): void => {
    for (const wake of [...sleepers]) wake();
  };
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => wake(), ms);
      const wake = (): void => {
        clearTimeout(timer);
        sleepers.delete(wake);
        resolve();
      };
      sleepers.add(wake);
    });

  return {
    /** Something has happened in this process. */
    beat,
    /** Looks again and again, at once after a beat and less and less often else; false when there was nothing to see after `timeoutMs`, or it was stopped. */
    until: async (look: () => Promise<boolean>, timeoutMs: number): Promise<boolean> => {
      const giveUpAt = performance.now() + timeoutMs;
      for (let pauseMs = shortestMs; !stopped; pauseMs = Math.min(pauseMs * 1.3, longestMs)) {
        if (await look()) return true;
        const left = giveUpAt - performance.now();
        if (left <= 0) return false;
        await sleep(Math.min(pauseMs, left));
      }
      return false;
    },
    stop: (): void => {
      stopped = true;
      beat();
    },
  };
};
