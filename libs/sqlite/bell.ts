/** Lets loops sleep until there may be something new, whether this process or another one made it. */
export type Bell = {
  /** Wakes all who sleep. */
  ring(): void;
  /** Resolves at the next ring, when `signal` aborts or when the bell is closed. Whoever sleeps keeps the process alive. */
  heard(signal: AbortSignal): Promise<void>;
  /** How often it was rung so far: where that is the same as before, there is nothing new. */
  rings(): number;
  closed(): boolean;
  /** Wakes all who sleep, for good. */
  close(): void;
};

/** Asks `changedElsewhere` every `everyMs` while anybody sleeps. What it throws is left to those it wakes: they meet it where somebody can catch it. */
export const openBell = (everyMs: number, changedElsewhere: () => boolean): Bell => {
  const sleepers = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let rings = 0;

  const ring = (): void => {
    rings += 1;
    for (const wake of [...sleepers]) wake();
  };
  const changed = (): boolean => {
    try {
      return changedElsewhere();
    } catch {
      return true;
    }
  };

  return {
    ring,
    heard: (signal) =>
      new Promise((resolve) => {
        if (isClosed || signal.aborted) return resolve();
        const wake = (): void => {
          sleepers.delete(wake);
          signal.removeEventListener('abort', wake);
          if (sleepers.size === 0) clearInterval(timer);
          resolve();
        };
        if (sleepers.size === 0) timer = setInterval(() => changed() && ring(), everyMs);
        sleepers.add(wake);
        signal.addEventListener('abort', wake);
      }),
    rings: () => rings,
    closed: () => isClosed,
    close: () => {
      isClosed = true;
      ring();
    },
  };
};
