import { ApiError } from '#contracts/http/api-error.ts';
import { createCountsByKey } from '#libs/concurrency/counts-by-key.ts';

/** What of one kind runs at once for each account in a process. */
export type RunningCounts = {
  /** @throws ApiError concurrency_limit_exceeded if the account has as many as it may */
  requireRoom: (accountId: string) => void;
  change: (accountId: string, by: 1 | -1) => void;
};

/** `name` is that of several, such as `template tests`; `retryAfter` is in seconds. */
export type CountedKind = { name: string; max: number; retryAfter?: number };

/** Counts what runs at once for each account. */
export const openRunningCounts = ({ name, max, retryAfter = 1 }: CountedKind): RunningCounts => {
  const running = createCountsByKey();
  return {
    requireRoom: (accountId) => {
      if (running.of(accountId) < max) return;
      const message = `The account may have ${max} ${name} at once. Try again when one of them has ended.`;
      throw ApiError.of('concurrency_limit_exceeded', message, { limit: max, retry_after: retryAfter });
    },
    change: running.change,
  };
};

export type ConcurrencyLimiter = {
  /** Runs a task. @throws ApiError concurrency_limit_exceeded if too many of the account are running */
  run<T>(accountId: string, task: () => Promise<T>): Promise<T>;
};

/** Limits how many tasks of this kind run at once for each account. */
export const createConcurrencyLimiter = (kind: CountedKind): ConcurrencyLimiter => {
  const { requireRoom, change } = openRunningCounts(kind);
  return {
    run: async (accountId, task) => {
      requireRoom(accountId);
      change(accountId, 1);
      try {
        return await task();
      } finally {
        change(accountId, -1);
      }
    },
  };
};
