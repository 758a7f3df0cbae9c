import { LRUCache } from 'lru-cache';
import { rateLimitExceeded } from '#contracts/http/api-error.ts';

export type WebhookTestLimiter = {
  /** Runs a test. @throws ApiError rate_limit_exceeded if the account has had enough of them in this minute */
  run<T>(accountId: string, now: Date, test: () => Promise<T>): Promise<T>;
};

/** Of one account in a process. A test takes up to ten seconds. */
export const maxTestsPerMinute = 10;
const minuteMs = 60_000;
const maxAccounts = 10_000;

/** Limits the tests of each account, so that the service cannot be used to flood an address. */
export const createWebhookTestLimiter = (): WebhookTestLimiter => {
  const counts = new LRUCache<string, { minute: number; count: number }>({ max: maxAccounts });
  return {
    run: (accountId, now, test) => {
      const minute = Math.floor(now.getTime() / minuteMs);
      const current = counts.get(accountId);
      const count = current?.minute === minute ? current.count : 0;
      const message = `The account may send ${maxTestsPerMinute} test callbacks a minute. Try again in the next minute.`;
      if (count >= maxTestsPerMinute)
        throw rateLimitExceeded(message, maxTestsPerMinute, new Date((minute + 1) * minuteMs), now);
      counts.set(accountId, { minute, count: count + 1 });
      return test();
    },
  };
};
