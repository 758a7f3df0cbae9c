import type { EventData } from '#contracts/events/all.ts';
import type { BlobRef, RenderReply } from '#contracts/events/render.ts';
import { type Fault, Problem } from '#contracts/http/problem.ts';
import { streams } from '#contracts/names.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { Answer, Answers } from '#libs/answers/port.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { render } from '#libs/domain/render.ts';
import { begin, type Cause, type Log } from '#application/handling/handle.ts';
import { type ClearTarget, sealTarget, type TargetParts } from '#application/deliveries/target.ts';
import { bytesPerMb } from '#libs/sizes/sizes.ts';
import type { Caller } from '#application/api-keys/queries.ts';
import type { Ask } from './source.ts';
import { planLimits } from '#application/accounts/queries.ts';

/** How the caller wants the PDF. */
export type Wish = { kind: 'wait' } | { kind: 'poll' } | ({ kind: 'webhook' } & ClearTarget);

export type Submission = { id: string; createdAt: string; position: number; answer: Promise<Answer | null> };
/** `inputs` are the blobs that PDFs are made from. */
export type SubmitParts = { log: Log; inputs: BlobStore; answers: Answers };

type Requested = EventData['RenderRequested'];

const renderLimits = (plan: PlanLimits): Requested['limits'] => ({
  processingMs: plan.processingMs,
  scriptMs: plan.scriptMs,
  maxPages: plan.maxPages,
  maxImages: plan.maxImages,
  maxPdfBytes: plan.maxPdfMb === null ? null : Math.floor(plan.maxPdfMb * bytesPerMb),
});

const storedBands = async (inputs: BlobStore, { headerHtml, footerHtml }: Ask): Promise<Requested['bands']> => {
  const stored = async (html: Uint8Array | null): Promise<BlobRef | null> => (html ? inputs.put(html) : null);
  const [header, footer] = await Promise.all([stored(headerHtml), stored(footerHtml)]);
  return { header, footer };
};

/**
 * The wish as it goes into the log, its secrets sealed, with the estimate that the caller is told, in milliseconds.
 * `id` is the bare id of the render.
 */
export const replyOf = async (parts: TargetParts, id: string, wish: Wish, estimate: number): Promise<RenderReply> => {
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
  { log, inputs, answers }: SubmitParts,
  { key, account }: Caller,
  ask: Ask & { id: string; at: Date; trial: boolean; reply: RenderReply; cause: Cause },
  abandoned: AbortSignal,
): Promise<Submission> => {
  const { id, at } = ask;
  const { header_html: _header, footer_html: _footer, ...options } = ask.options;
  const data: Requested = {
    accountId: account.id,
    keyId: key.id,
    keyType: key.keyType,
    source: ask.source,
    options,
    bands: await storedBands(inputs, ask),
    limits: renderLimits(planLimits(account)),
    trial: ask.trial,
    reply: ask.reply,
  };
  const answer = ask.reply.kind === 'wait' ? answers.wait(id, abandoned) : Promise.resolve(null);
  const aggregate = begin({ ...log, now: () => at }, render, streams.render(id));
  const { position } = await aggregate.execute({ type: 'request', data }, ask.cause);
  return { id, createdAt: at.toISOString(), position: position!, answer };
};

/** The answer as a PDF. @throws Problem for a render that failed */
export const pdfOf = (answer: Answer | null): Extract<Answer, { status: 'DONE' }> => {
  if (answer?.status === 'DONE') return answer;
  const overdue: Fault = {
    name: 'service_unavailable',
    message: 'The render was accepted but has not finished in time. It goes on; ask again later.',
    extra: { retry_after: 30 },
  };
  throw Problem.from(answer?.fault ?? overdue);
};
