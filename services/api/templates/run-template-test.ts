import { readModels } from '#contracts/names.ts';
import { requireShortWait } from '#application/renders/estimate.ts';
import type { RenderInput } from '#application/renders/render-content.ts';
import { submitRender, type SubmitRenderResult } from '#application/renders/submit-render.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { monthOf } from '#libs/limits/windows.ts';
import { usageIdOf, type UsageDocument } from '#libs/projections/usage.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import { requireAcceptedOutput } from '../server/accepts-pdf.ts';
import { waitSignal } from '../renders/send-render.ts';
import type { CallerContext } from '../server/context.ts';
import type { SubmitDependencies } from '../server/dependencies.ts';

type TemplateTestDependencies = { reads: ReadStore; readYourWrites: ReadYourWrites };

/** Live keys have as many template tests a month as the account has renders; test keys have no limit. @throws ApiError quota_exceeded */
const requireTemplateTestsLeft = async (
  { reads, readYourWrites }: TemplateTestDependencies,
  context: CallerContext,
  now: Date,
): Promise<void> => {
  const { account, keyType, quota } = context;
  const { requestsPerMonth: limit } = context.limits;
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

/**
 * Submits a template test, a render that does not count toward the quota or as a use of the template. `input` returns
 * its input, `repeatedFrom` is the bare id of the render that it repeats, if any. `send` sends the response: until then
 * the test counts as running.
 * @throws ApiError quota_exceeded, concurrency_limit_exceeded, service_unavailable, and the errors of `input` and `send`
 */
export const runTemplateTest = <T>(
  dependencies: SubmitDependencies,
  context: CallerContext,
  input: () => Promise<RenderInput>,
  send: (submission: SubmitRenderResult, input: RenderInput) => Promise<T>,
  repeatedFrom?: string,
): Promise<T> => {
  const { id, account, limits, cause, reply } = context;
  const { eventLog, estimator, readYourWrites, templateTestLimiter } = dependencies;
  const accountId = account.id;
  return templateTestLimiter.run(accountId, async () => {
    const at = eventLog.now();
    await requireTemplateTestsLeft(dependencies, context, at);
    const stored = await input();
    requireAcceptedOutput(reply.request, stored.options.output);
    await requireShortWait(estimator, { accountId, source: stored.source, priority: 'urgent' }, limits.processingMs);
    const origin = repeatedFrom === undefined ? {} : { repeatedFrom };
    const request = {
      ...stored,
      ...origin,
      id,
      at,
      templateTest: true,
      responseMode: { kind: 'wait' },
      cause,
    } as const;
    const submission = await submitRender(dependencies, context, request, waitSignal(reply));
    readYourWrites.recordWrite(accountId, submission.position, readModels.usage, readModels.renders);
    return send(submission, stored);
  });
};
