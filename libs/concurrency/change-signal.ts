/** Lets loops wait until there may be something new. */
export type ChangeSignal = {
  /** Wakes everyone who waits. */
  notify(): void;
  /**
   * How many notifications there were. Read it before an asynchronous look and pass it as `since`,
   * so that a notification during the look is not missed.
   */
  version(): number;
  /**
   * Resolves at the next notification, when `signal` aborts, or after `timeoutMs` milliseconds; at once where there
   * was a notification after version `since`. It does not tell which: the caller looks again.
   */
  waitForChange(signal?: AbortSignal, timeoutMs?: number, since?: number): Promise<void>;
};

/** How changes by other processes are noticed: `hasChanged` is asked every `everyMs` milliseconds while anyone waits. */
export type PollOptions = { intervalMs: number; hasChanged: () => boolean };

/** An error of `poll.hasChanged` counts as a change: the caller meets the error where it looks again. */
export const createChangeSignal = (poll?: PollOptions): ChangeSignal => {
  const waiters = new Set<() => void>();
  let version = 0;
  let polling: NodeJS.Timeout | undefined;

  const notify = (): void => {
    version += 1;
    for (const wake of [...waiters]) wake();
  };
  const hasChanged = (): boolean => {
    try {
      return poll!.hasChanged();
    } catch {
      return true;
    }
  };

  return {
    notify,
    version: () => version,
    waitForChange: (signal, timeoutMs, since = version) =>
      new Promise((resolve) => {
        if (since !== version || signal?.aborted) return resolve();
        const wake = (): void => {
          waiters.delete(wake);
          if (waiters.size === 0) clearInterval(polling);
          clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = timeoutMs === undefined ? undefined : setTimeout(wake, timeoutMs);
        if (poll && waiters.size === 0) polling = setInterval(() => hasChanged() && notify(), poll.intervalMs);
        waiters.add(wake);
        signal?.addEventListener('abort', wake);
      }),
  };
};
