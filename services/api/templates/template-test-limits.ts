import { ApiError } from '#contracts/http/api-error.ts';
import { readModels } from '#contracts/names.ts';
import { monthOf } from '#libs/limits/windows.ts';
import { usageIdOf, type UsageDocument } from '#libs/projections/usage.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import type { CallerContext } from '../server/context.ts';

type TemplateTestDependencies = { reads: ReadStore; readYourWrites: ReadYourWrites };

/** Live keys have as many template tests a month as the account has renders; test keys have no limit. @throws ApiError quota_exceeded */
export const requireTemplateTestsLeft = async (
  { reads, readYourWrites }: TemplateTestDependencies,
  context: CallerContext,
  now: Date,
): Promise<void> => {
  const {
    account,
    keyType,
    quota,
    limits: { requestsPerMonth: limit },
  } = context;
  if (keyType === 'test' || limit === null) return;
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
