import { readModels } from '#contracts/names.ts';
import { requireShortWait } from '#application/renders/estimate.ts';
import type { RenderInput } from '#application/renders/render-content.ts';
import { submitRender, type SubmitRenderResult } from '#application/renders/submit-render.ts';
import { requireAcceptedOutput } from '../server/accepts-pdf.ts';
import { waitSignal } from '../renders/send-render.ts';
import type { CallerContext } from '../server/context.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { requireTemplateTestsLeft } from './template-test-limits.ts';

/**
 * Submits a template test, a render that does not count toward the quota or as a use of the template. `input` returns
 * its input, `repeatedFrom` is the bare id of the render that it repeats, if any. `send` sends the response: until then
 * the test counts as running.
 * @throws ApiError quota_exceeded, rate_limit_exceeded, service_unavailable, and the errors of `input` and `send`
 */
export const runTemplateTest = <T>(
  dependencies: Dependencies,
  context: CallerContext,
  input: () => Promise<RenderInput>,
  send: (submission: SubmitRenderResult, input: RenderInput) => Promise<T>,
  repeatedFrom?: string,
): Promise<T> => {
  const { id, account, limits, cause, reply } = context;
  const { eventLog, estimator, readYourWrites, templateTestLimiter } = dependencies;
  const accountId = account.id;
  return templateTestLimiter.run(accountId, eventLog.now(), async () => {
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
