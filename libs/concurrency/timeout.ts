/** The work was not done in time. It may still be done later. */
export class TimeoutError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = 'TimeoutError';
  }
}

/**
 * Does the work until `signal` aborts, and rejects with the reason of the abort then, whether the work notices it or not.
 * A failure that comes after the abort is dropped.
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

/** `signal` ends the work earlier, with its reason. `error` makes what the work fails with at the limit; a TimeoutError by default. */
export type TimeoutOptions = { signal?: AbortSignal; createError?: () => Error };

/**
 * Does the work for at most `ms` milliseconds. At the limit the signal that the work gets aborts, and the result is a rejection,
 * whether the work notices it or not. The work itself closes what it opens after the abort.
 * AbortSignal.timeout would keep a timer for the whole time behind each piece of work that ends early, and would let the process end before the limit.
 */
export const runWithTimeout = async <T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  options: TimeoutOptions = {},
): Promise<T> => {
  const { signal, createError = () => new TimeoutError(ms) } = options;
  signal?.throwIfAborted();
  const over = new AbortController();
  const stop = (): void => over.abort(signal!.reason);
  const timer = setTimeout(() => over.abort(createError()), ms);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await runUntilAborted(over.signal, () => work(over.signal));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
};
