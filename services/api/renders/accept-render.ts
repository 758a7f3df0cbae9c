import type { RenderSource } from '#contracts/events/render-request.ts';
import type { ComposeRequest } from '#contracts/http/compose.ts';
import type { ConvertRequest, TemplateRequest } from '#contracts/http/render.ts';
import { readModels } from '#contracts/names.ts';
import { timeOfId } from '#libs/ids/ulids.ts';
import { type Dependencies, type SubmitDependencies, withDeferredInputs } from '../server/dependencies.ts';
import { requireAcceptedOutput } from '../server/accepts-pdf.ts';
import { acceptWithinQuota } from '../server/quota.ts';
import { countRenderOfPerson } from '../server/rate-limit.ts';
import type { CallerContext } from '../server/context.ts';
import { type Estimate, requireBacklogCapacity, requireShortWait } from '#application/renders/estimate.ts';
import type { RequestedResponseMode } from '#application/renders/submit-render.ts';
import type { RenderInput } from '#application/renders/render-content.ts';
import { storeRenderInput } from '#application/renders/render-input.ts';
import { waitSignal } from './send-render.ts';
import {
  sealResponseMode,
  sealSource,
  type SubmitRenderResult,
  submitRender,
} from '#application/renders/submit-render.ts';

export type AcceptedRender = { submission: SubmitRenderResult; estimatedMs: number };

/** The read models that show an accepted render. */
const renderReadModels = [readModels.renders, readModels.usage, readModels.templateUsage];

const maxIdAgeMs = 10_000;

/** The time in the render's id, by which jobs are listed; `now` if the id is from a much older attempt. */
const acceptanceTimeOf = (id: string, now: Date): Date => {
  const idTime = timeOfId(id);
  return Math.abs(now.getTime() - idTime.getTime()) < maxIdAgeMs ? idTime : now;
};

/** @throws ApiError service_unavailable if the service cannot accept the render now */
const estimateOf = async (
  dependencies: Dependencies,
  context: CallerContext,
  source: RenderSource,
  { kind }: RequestedResponseMode,
): Promise<Estimate> => {
  const { estimator, maxBacklog } = dependencies;
  const { account, limits } = context;
  if (kind === 'wait')
    return requireShortWait(estimator, { accountId: account.id, source, priority: 'urgent' }, limits.processingMs);
  const estimate = await estimator.estimate({ accountId: account.id, source, priority: 'ordinary' });
  requireBacklogCapacity(estimate, maxBacklog);
  return estimate;
};

/**
 * Accepts a render within the quota of the account and appends it to the event log. `estimatedMs` is the estimated time
 * until its PDF is ready.
 * @throws ApiError
 */
export const acceptRender = async (
  dependencies: Dependencies,
  context: CallerContext<ConvertRequest | TemplateRequest | ComposeRequest>,
  responseMode: RequestedResponseMode,
): Promise<AcceptedRender> => {
  await countRenderOfPerson(dependencies, context);
  const submitDependencies = withDeferredInputs(dependencies);
  const input = await storeRenderInput(submitDependencies, context, context.body, context);
  return acceptRenderInput(submitDependencies, context, input, responseMode);
};

/**
 * The same for an input that is stored or deferred already. `repeatedFrom` is the bare id of the render that had it first,
 * if any.
 */
export const acceptRenderInput = async (
  dependencies: SubmitDependencies,
  context: CallerContext,
  input: RenderInput,
  responseMode: RequestedResponseMode,
  repeatedFrom?: string,
): Promise<AcceptedRender> => {
  const { id, account, cause, reply } = context;
  if (responseMode.kind === 'wait') requireAcceptedOutput(reply.request, input.options.output);
  const at = acceptanceTimeOf(id, dependencies.eventLog.now());
  const { waitMs, workMs, confirmPosition } = await estimateOf(dependencies, context, input.source, responseMode);
  const estimatedMs = waitMs + workMs;
  const renders = input.source.mode === 'COMPOSE' ? input.source.renders : 1;
  const submission = await acceptWithinQuota(dependencies, context, reply, { id, at, renders }, async () => {
    const sealing = { ...dependencies, blobs: dependencies.sealedBoxes };
    const sealed = await sealResponseMode(sealing, id, responseMode, estimatedMs);
    const source = await sealSource(sealing, id, input);
    const origin = repeatedFrom === undefined ? {} : { repeatedFrom };
    const request = { ...input, ...origin, source, id, at, templateTest: false, responseMode: sealed, cause };
    return submitRender(dependencies, context, request, waitSignal(reply));
  }).catch((error: unknown) => {
    confirmPosition?.(null);
    throw error;
  });
  confirmPosition?.(submission.position);
  dependencies.readYourWrites.recordWrite(account.id, submission.position, ...renderReadModels);
  return { submission, estimatedMs };
};
