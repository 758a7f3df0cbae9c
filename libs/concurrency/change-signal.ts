/** Lets loops wait until something may have changed. */
export type ChangeSignal = {
  /** Wakes all waiting callers. */
  notify(): void;
  /**
   * The number of notifications so far. Read it before an asynchronous check and pass it as `since`, so that a
   * notification during the check is not missed.
   */
  version(): number;
  /**
   * Resolves at the next notification, when `signal` aborts, or after `timeoutMs` milliseconds; at once when there was
   * a notification after version `since`. It does not say which, so the caller checks again.
   */
  waitForChange(signal?: AbortSignal, timeoutMs?: number, since?: number): Promise<void>;
};

/** Polls for changes by other processes: calls `hasChanged` every `intervalMs` milliseconds while a caller waits. */
export type PollOptions = { intervalMs: number; hasChanged: () => boolean };

/** An error of `poll.hasChanged` counts as a change: the caller gets the error when it checks again. */
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
