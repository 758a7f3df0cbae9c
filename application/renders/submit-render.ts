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

/** How the caller wants the PDF. */
export type RequestedResponseMode = { kind: 'wait' } | { kind: 'poll' } | ({ kind: 'webhook' } & PlaintextTarget);

export type SubmitRenderResult = {
  id: string;
  createdAt: string;
  position: number;
  reply: Promise<RenderReply | null>;
};
/** `inputs` are the blobs that PDFs are made from. */
export type SubmitRenderDependencies = { eventLog: EventLog; inputs: BlobStore; replies: RenderReplies };

type Requested = EventData['RenderRequested'];

const renderLimits = (plan: PlanLimits): Requested['limits'] => ({
  processingMs: plan.processingMs,
  scriptMs: plan.scriptMs,
  maxPages: plan.maxPages,
  maxImages: plan.maxImages,
  maxPdfBytes: plan.maxPdfMb === null ? null : Math.floor(plan.maxPdfMb * bytesPerMb),
});

const storeHeaderFooter = async (
  inputs: BlobStore,
  { headerHtml, footerHtml }: RenderInput,
): Promise<Requested['headerFooter']> => {
  const stored = async (html: Uint8Array | null): Promise<BlobRef | null> => (html ? inputs.put(html) : null);
  const [header, footer] = await Promise.all([stored(headerHtml), stored(footerHtml)]);
  return { header, footer };
};

/**
 * The wish as it goes into the log, its secrets sealed, with the estimate that the caller is told, in milliseconds.
 * `id` is the bare id of the render.
 */
export const sealResponseMode = async (
  parts: TargetDependencies,
  id: string,
  wish: RequestedResponseMode,
  estimate: number,
): Promise<ResponseMode> => {
  if (wish.kind === 'wait') return wish;
  const estimatedMs = Math.round(estimate);
  if (wish.kind === 'poll') return { ...wish, estimatedMs };
  return { kind: wish.kind, estimatedMs, ...(await sealTarget(parts, id, wish)) };
};

/**
 * Puts a render into the log: from here on it will end, as a PDF or as a failure.
 * `id` is its bare id, `at` the moment of its acceptance, which is the one that its quota is counted in. `abandoned` aborts when the caller no longer waits. The answer is null then.
 */
export const submitRender = async (
  { eventLog, inputs, replies }: SubmitRenderDependencies,
  { key, account }: Caller,
  ask: RenderInput & { id: string; at: Date; templateTest: boolean; responseMode: ResponseMode; cause: Cause },
  abandoned: AbortSignal,
): Promise<SubmitRenderResult> => {
  const { id, at } = ask;
  const { header_html: _header, footer_html: _footer, ...options } = ask.options;
  const data: Requested = {
    accountId: account.id,
    keyId: key.id,
    keyType: key.keyType,
    source: ask.source,
    options,
    headerFooter: await storeHeaderFooter(inputs, ask),
    limits: renderLimits(planLimits(account)),
    templateTest: ask.templateTest,
    responseMode: ask.responseMode,
  };
  const answer = ask.responseMode.kind === 'wait' ? replies.wait(id, abandoned) : Promise.resolve(null);
  const aggregate = newAggregate({ ...eventLog, now: () => at }, render, streams.render(id));
  const { position } = await aggregate.execute({ type: 'request', data }, ask.cause);
  // No event: an earlier append of the same request, which was given up, has succeeded since.
  const acceptedAt = position ?? (await eventLog.store.read(streams.render(id)))[0]!.position;
  return { id, createdAt: at.toISOString(), position: acceptedAt, reply: answer };
};

/** The answer as a PDF. @throws Problem for a render that failed */
export const requirePdf = (answer: RenderReply | null): Extract<RenderReply, { status: 'DONE' }> => {
  if (answer?.status === 'DONE') return answer;
  const overdue: ApiErrorFields = {
    name: 'service_unavailable',
    message: 'The render was accepted but has not finished in time. It goes on; ask again later.',
    extra: { retry_after: 30 },
  };
  throw ApiError.from(answer?.error ?? overdue);
};
