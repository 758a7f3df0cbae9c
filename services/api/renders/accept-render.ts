import type { RenderSource } from '#contracts/events/render.ts';
import type { ConvertRequest, TemplateRequest } from '#contracts/http/render.ts';
import { readModels } from '#contracts/names.ts';
import { timeOf } from '#libs/ids/new-id.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { withinQuota } from '../server/quota.ts';
import type { CallerContext } from '../server/context.ts';
import { type Estimate, requireBacklogRoom, requireShortWait } from '#application/renders/estimate.ts';
import type { Wish } from '#application/renders/submit-render.ts';
import { askOf } from '#application/renders/source.ts';
import { abandonment } from './send-render.ts';
import { replyOf, type Submission, submitRender } from '#application/renders/submit-render.ts';

export type Accepted = { submission: Submission; estimatedMs: number };

/** The read models that show a render from its acceptance on. */
const shownIn = [readModels.renders, readModels.usage, readModels.templateUses];

const freshMs = 10_000;

/** The moment in the render's id, by which jobs are found; now for the id of an attempt that was given up long ago. */
const acceptanceOf = (id: string, now: Date): Date => {
  const made = timeOf(id);
  return Math.abs(now.getTime() - made.getTime()) < freshMs ? made : now;
};

/** @throws Problem service_unavailable where the service cannot take the render on now */
const estimateOf = async (
  dependencies: Dependencies, context: CallerContext, source: RenderSource, { kind }: Wish,
): Promise<Estimate> => {
  const { estimates, backlog } = dependencies;
  const { account: { id: accountId }, limits } = context;
  if (kind === 'wait') return requireShortWait(estimates, { accountId, source, reply: 'wait' }, limits.processingMs);
  const estimate = await estimates.of({ accountId, source, reply: 'later' });
  requireBacklogRoom(estimate, backlog);
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
  wish: Wish,
): Promise<Accepted> => {
  const { id, body, account, cause, reply } = context;
  const at = acceptanceOf(id, dependencies.log.now());
  const ask = await askOf(dependencies, context, body, context.written);
  const { waitMs, workMs, settle } = await estimateOf(dependencies, context, ask.source, wish);
  const estimatedMs = waitMs + workMs;
  const submission = await withinQuota(dependencies, context, reply, { id, at }, async () => {
    const sealed = await replyOf(dependencies, id, wish, estimatedMs);
    const wanted = { ...ask, id, at, trial: false, reply: sealed, cause };
    return submitRender(dependencies, context, wanted, abandonment(reply));
  }).catch((error: unknown) => {
    settle?.(null);
    throw error;
  });
  settle?.(submission.position);
  dependencies.freshness.wrote(account.id, submission.position, ...shownIn);
  return { submission, estimatedMs };
};
