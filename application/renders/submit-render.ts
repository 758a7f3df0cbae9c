import type { EventData } from '#contracts/events/event-schemas.ts';
import type { BlobRef, ResponseMode } from '#contracts/events/render.ts';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { RenderReply, RenderReplies } from '#libs/replies/port.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { render } from '#libs/domain/render.ts';
import { newAggregate, type Cause, type EventLog } from '#application/command-handling/aggregate.ts';
import { type PlaintextTarget, sealTarget, type TargetDependencies } from '#application/deliveries/target.ts';
import { bytesPerMb } from '#libs/sizes/sizes.ts';
import type { Caller } from '#application/api-keys/queries.ts';
import type { RenderInput } from './render-input.ts';
import { planLimits } from '#application/accounts/queries.ts';

/** How the caller wants to receive the result. A webhook target is in plaintext. */
export type RequestedResponseMode = { kind: 'wait' } | { kind: 'poll' } | ({ kind: 'webhook' } & PlaintextTarget);

export type SubmitRenderResult = {
  id: string;
  createdAt: string;
  position: number;
  reply: Promise<RenderReply | null>;
};
/** `inputs` is the blob store for render inputs. */
export type SubmitRenderDependencies = { eventLog: EventLog; inputs: BlobStore; replies: RenderReplies };

type RenderRequestedData = EventData['RenderRequested'];

const renderLimits = (plan: PlanLimits): RenderRequestedData['limits'] => ({
  processingMs: plan.processingMs,
  scriptMs: plan.scriptMs,
  maxPages: plan.maxPages,
  maxImages: plan.maxImages,
  maxPdfBytes: plan.maxPdfMb === null ? null : Math.floor(plan.maxPdfMb * bytesPerMb),
});

const storeHeaderFooter = async (
  inputs: BlobStore,
  { headerHtml, footerHtml }: RenderInput,
): Promise<RenderRequestedData['headerFooter']> => {
  const store = async (html: Uint8Array | null): Promise<BlobRef | null> => (html ? inputs.put(html) : null);
  const [header, footer] = await Promise.all([store(headerHtml), store(footerHtml)]);
  return { header, footer };
};

/**
 * The response mode for the event log, with its secrets encrypted. `estimateMs` is the estimate in the response, `id`
 * the bare id of the render.
 */
export const sealResponseMode = async (
  dependencies: TargetDependencies,
  id: string,
  requested: RequestedResponseMode,
  estimateMs: number,
): Promise<ResponseMode> => {
  if (requested.kind === 'wait') return requested;
  const estimatedMs = Math.round(estimateMs);
  if (requested.kind === 'poll') return { ...requested, estimatedMs };
  return { kind: requested.kind, estimatedMs, ...(await sealTarget(dependencies, id, requested)) };
};

/**
 * Appends RenderRequested: the render is accepted. `id` is its bare id; `at` is the time of acceptance, which decides
 * the month of the quota. `signal` aborts when the caller no longer waits; the reply is then null.
 */
export const submitRender = async (
  { eventLog, inputs, replies }: SubmitRenderDependencies,
  { key, account }: Caller,
  request: RenderInput & { id: string; at: Date; templateTest: boolean; responseMode: ResponseMode; cause: Cause },
  signal: AbortSignal,
): Promise<SubmitRenderResult> => {
  const { id, at } = request;
  const { header_html: _header, footer_html: _footer, ...options } = request.options;
  const data: RenderRequestedData = {
    accountId: account.id,
    keyId: key.id,
    keyType: key.keyType,
    source: request.source,
    options,
    headerFooter: await storeHeaderFooter(inputs, request),
    limits: renderLimits(planLimits(account)),
    templateTest: request.templateTest,
    responseMode: request.responseMode,
  };
  const reply = request.responseMode.kind === 'wait' ? replies.wait(id, signal) : Promise.resolve(null);
  const aggregate = newAggregate({ ...eventLog, now: () => at }, render, streams.render(id));
  const { position } = await aggregate.execute({ type: 'request', data }, request.cause);
  // No event: an earlier append of the same request timed out, but has succeeded since.
  const acceptedAt = position ?? (await eventLog.store.read(streams.render(id)))[0]!.position;
  return { id, createdAt: at.toISOString(), position: acceptedAt, reply };
};

/** The reply of a completed render. @throws ApiError for a failed render, or without a reply */
export const requirePdf = (reply: RenderReply | null): Extract<RenderReply, { status: 'DONE' }> => {
  if (reply?.status === 'DONE') return reply;
  const overdue: ApiErrorFields = {
    name: 'service_unavailable',
    message: 'The render was accepted but has not finished in time. It continues; repeat the request later.',
    extra: { retry_after: 30 },
  };
  throw ApiError.from(reply?.error ?? overdue);
};
