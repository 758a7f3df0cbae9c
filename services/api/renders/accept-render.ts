import type { RenderSource } from '#contracts/events/render.ts';
import type { ConvertRequest, TemplateRequest } from '#contracts/http/render.ts';
import { readModels } from '#contracts/names.ts';
import { timeOfId } from '#libs/ids/ulids.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { acceptWithinQuota } from '../server/quota.ts';
import type { CallerContext } from '../server/context.ts';
import { type Estimate, requireBacklogCapacity, requireShortWait } from '#application/renders/estimate.ts';
import type { RequestedResponseMode } from '#application/renders/submit-render.ts';
import { storeRenderInput } from '#application/renders/render-input.ts';
import { waitSignal } from './send-render.ts';
import { sealResponseMode, type SubmitRenderResult, submitRender } from '#application/renders/submit-render.ts';

export type AcceptedRender = { submission: SubmitRenderResult; estimatedMs: number };

/** The read models that show a render from its acceptance on. */
const renderReadModels = [readModels.renders, readModels.usage, readModels.templateUsage];

const maxIdAgeMs = 10_000;

/** The moment in the render's id, by which jobs are found; now for the id of an attempt that was given up long ago. */
const acceptanceTimeOf = (id: string, now: Date): Date => {
  const made = timeOfId(id);
  return Math.abs(now.getTime() - made.getTime()) < maxIdAgeMs ? made : now;
};

/** @throws Problem service_unavailable where the service cannot take the render on now */
const estimateOf = async (
  dependencies: Dependencies,
  context: CallerContext,
  source: RenderSource,
  { kind }: RequestedResponseMode,
): Promise<Estimate> => {
  const { estimator: estimates, maxBacklog } = dependencies;
  const {
    account: { id: accountId },
    limits,
  } = context;
  if (kind === 'wait')
    return requireShortWait(estimates, { accountId, source, priority: 'urgent' }, limits.processingMs);
  const estimate = await estimates.estimate({ accountId, source, priority: 'ordinary' });
  requireBacklogCapacity(estimate, maxBacklog);
  return estimate;
};

/**
 * Accepts a render within the quota of the account: from then on it is in the log. `estimatedMs` is the time until its
 * PDF is there.
 * @throws Problem
 */
export const acceptRender = async (
  dependencies: Dependencies,
  context: CallerContext<ConvertRequest | TemplateRequest>,
  wish: RequestedResponseMode,
): Promise<AcceptedRender> => {
  const { id, body, account, cause, reply } = context;
  const at = acceptanceTimeOf(id, dependencies.eventLog.now());
  const ask = await storeRenderInput(dependencies, context, body, context.longTexts);
  const { waitMs, workMs, confirmPosition } = await estimateOf(dependencies, context, ask.source, wish);
  const estimatedMs = waitMs + workMs;
  const submission = await acceptWithinQuota(dependencies, context, reply, { id, at }, async () => {
    const sealed = await sealResponseMode(dependencies, id, wish, estimatedMs);
    const wanted = { ...ask, id, at, templateTest: false, responseMode: sealed, cause };
    return submitRender(dependencies, context, wanted, waitSignal(reply));
  }).catch((error: unknown) => {
    confirmPosition?.(null);
    throw error;
  });
  confirmPosition?.(submission.position);
  dependencies.readYourWrites.recordWrite(account.id, submission.position, ...renderReadModels);
  return { submission, estimatedMs };
};
