/**
 * Runs an operation for at most `ms` milliseconds. At the limit its signal aborts, and the result is a rejection with `late()`, whether the operation
 * notices or not. The operation gives back what it opens after the abort; a failure that comes after the limit is heard and dropped.
 */
export const withTimeout = async <T>(ms: number, late: () => Error, operation: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const over = new AbortController();
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = late();
    over.abort(error);
    expired.reject(error);
  }, ms);
  try {
    return await Promise.race([operation(over.signal), expired.promise]);
  } finally {
    clearTimeout(timer);
  }
};
