/** The work did not finish in time. It may still finish later. */
export class TimeoutError extends Error {
  constructor(ms: number) {
    super(`no response within ${ms} ms`);
    this.name = 'TimeoutError';
  }
}

/**
 * Runs the work. When `signal` aborts, it rejects with the reason of the abort at once, even when the work goes on.
 * A later failure of the work is dropped.
 */
export const runUntilAborted = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

/** `signal` ends the work earlier, with its reason. `createError` makes the error at the limit; a TimeoutError by default. */
export type TimeoutOptions = { signal?: AbortSignal; createError?: () => Error };

/**
 * Runs the work for at most `ms` milliseconds. At the limit it rejects and aborts the signal of the work, even when the
 * work goes on. The work itself closes what it opens after the abort. AbortSignal.timeout is not used: it would keep a
 * timer for the whole time after work that ends early, and would let the process end before the limit.
 */
export const runWithTimeout = async <T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  options: TimeoutOptions = {},
): Promise<T> => {
  const { signal, createError = () => new TimeoutError(ms) } = options;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal!.reason);
  const timer = setTimeout(() => controller.abort(createError()), ms);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await runUntilAborted(controller.signal, () => work(controller.signal));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
};
