import { ApiError } from '#contracts/http/api-error.ts';
import { readModels } from '#contracts/names.ts';
import { monthOf } from '#libs/limits/windows.ts';
import { usageIdOf, type UsageDocument } from '#libs/projections/usage.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import type { CallerContext } from '../server/context.ts';

export type TemplateTestLimiter = {
  /** Runs a template test. @throws ApiError rate_limit_exceeded if too many of the account are running */
  run<T>(accountId: string, now: Date, test: () => Promise<T>): Promise<T>;
};

/** How many template tests of one account may run at once in a process. */
export const maxConcurrentTests = 2;

/** Limits concurrent template tests of each account. */
export const createTemplateTestLimiter = (): TemplateTestLimiter => {
  const running = new Map<string, number>();
  const change = (accountId: string, by: 1 | -1): void => {
    const count = (running.get(accountId) ?? 0) + by;
    if (count > 0) running.set(accountId, count);
    else running.delete(accountId);
  };
  return {
    run: async (accountId, now, test) => {
      if ((running.get(accountId) ?? 0) >= maxConcurrentTests)
        throw ApiError.of(
          'rate_limit_exceeded',
          `The account may run ${maxConcurrentTests} template tests at once. Try again when one of them has ended.`,
          { limit: maxConcurrentTests, retry_after: 1, reset_at: new Date(now.getTime() + 1_000).toISOString() },
        );
      change(accountId, 1);
      try {
        return await test();
      } finally {
        change(accountId, -1);
      }
    },
  };
};

type TemplateTestDependencies = { reads: ReadStore; readYourWrites: ReadYourWrites };

/** Live keys have as many template tests a month as the account has renders; test keys have no limit. @throws ApiError quota_exceeded */
export const requireTemplateTestsLeft = async (
  { reads, readYourWrites }: TemplateTestDependencies,
  context: CallerContext,
  now: Date,
): Promise<void> => {
  const {
    account,
    key,
    quota,
    limits: { requestsPerMonth: limit },
  } = context;
  if (key.keyType === 'test' || limit === null) return;
  await readYourWrites.waitForWrites(account.id, readModels.usage);
  const usage = (await reads.get(readModels.usage, usageIdOf(account.id, monthOf(now)))) as UsageDocument | null;
  const used = usage?.templateTests ?? 0;
  if (used < limit) return;
  const resetAt = quota.resetAt.toISOString();
  throw ApiError.of(
    'quota_exceeded',
    `The account has used the ${limit} template tests that live keys have in a month. Test keys have no limit. ` +
      `The count starts again at ${resetAt}.`,
    { quota_limit: limit, quota_used: used, quota_reset: resetAt },
  );
};
