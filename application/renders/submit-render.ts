import type { EventData } from '#contracts/events/event-schemas.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import type { RenderSource, ResponseMode } from '#contracts/events/render-request.ts';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { encodeLargeOptions, splitLargeOptions } from '#contracts/http/large-options.ts';
import { streams } from '#contracts/names.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { DeferringBlobStore } from '#libs/blob-store/defer-puts.ts';
import type { RenderReply, RenderReplies } from '#libs/replies/port.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { render } from '#libs/domain/render.ts';
import {
  type Cause,
  type EventLog,
  isCertainlyNotAppended,
  newAggregate,
} from '#application/command-handling/aggregate.ts';
import { type PlaintextTarget, sealTarget } from '#application/deliveries/target.ts';
import { bytesPerMb } from '#libs/sizes/sizes.ts';
import type { Caller } from '#application/callers/caller.ts';
import type { SealDependencies } from '#libs/secrets/sealed-box.ts';
import { sealPageRequest } from './page-secrets.ts';
import type { RenderInput } from './render-content.ts';
import { pdfRetention, pdfRetentionMinutes } from '#application/accounts/render-settings.ts';
import { planLimits } from '#application/accounts/queries.ts';

/** How the caller wants to receive the result. A webhook target is in plaintext. */
export type RequestedResponseMode = { kind: 'wait' } | { kind: 'poll' } | ({ kind: 'webhook' } & PlaintextTarget);

export type SubmitRenderResult = {
  id: string;
  createdAt: string;
  position: number;
  /** Null: the default name. */
  fileName: string | null;
  reply: Promise<RenderReply | null>;
};
/**
 * `inputs` is the blob store for render inputs, `sealedBoxes` that for the secrets of the request;
 * `maxPdfRetentionMinutes` is the operator's limit.
 */
export type SubmitRenderDependencies = {
  eventLog: EventLog;
  inputs: DeferringBlobStore;
  sealedBoxes: DeferringBlobStore;
  replies: RenderReplies;
  maxPdfRetentionMinutes: number;
};

type RenderRequestedData = EventData['RenderRequested'];

/** The limits of the plan, as an event has them. */
export const renderLimits = (plan: PlanLimits): RenderRequestedData['limits'] => ({
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
  dependencies: SealDependencies,
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
 * The source for the event log, with the headers and cookies of a page encrypted. `id` is the bare id of the render.
 */
export const sealSource = async (
  dependencies: SealDependencies,
  id: string,
  { source, page }: Pick<RenderInput, 'source' | 'page'>,
): Promise<RenderSource> =>
  page && source.mode === 'CONVERT'
    ? { ...source, page: await sealPageRequest(dependencies, id, page.url, page) }
    : source;

/** The sealed boxes that are erased after the render. */
const sealedBoxesOf = ({ source, responseMode }: Pick<RenderRequestedData, 'source' | 'responseMode'>): string[] =>
  [
    source.mode === 'CONVERT' ? source.page?.sealed : null,
    responseMode.kind === 'webhook' ? responseMode.sealed : null,
  ].flatMap((sealed) => sealed?.sha256 ?? []);

/** `repeatedFrom` is the bare id of the render that this one repeats, if any. */
export type RenderToSubmit = RenderInput & {
  id: string;
  at: Date;
  templateTest: boolean;
  repeatedFrom?: string;
  responseMode: ResponseMode;
  cause: Cause;
};

/**
 * Appends RenderRequested: the render is accepted. `id` is its bare id; `at` is the time of acceptance, which decides
 * the month of the quota. `signal` aborts when the caller no longer waits; the reply is then null.
 */
export const submitRender = async (
  { eventLog, inputs, sealedBoxes, replies, maxPdfRetentionMinutes }: SubmitRenderDependencies,
  { keyId, keyType, account }: Caller,
  request: RenderToSubmit,
  signal: AbortSignal,
): Promise<SubmitRenderResult> => {
  const { id, at, repeatedFrom, accountDefaults, encryption } = request;
  const retentionMinutes = pdfRetentionMinutes(account.settings, maxPdfRetentionMinutes);
  const {
    header_html: _header,
    footer_html: _footer,
    file_name: fileName = null,
    encryption: _,
    ...others
  } = request.options;
  const { options, largeOptions } = splitLargeOptions(others);
  const data: RenderRequestedData = {
    accountId: account.id,
    keyId,
    keyType,
    source: request.source,
    options,
    ...(largeOptions && { largeOptions: await inputs.put(encodeLargeOptions(largeOptions)) }),
    ...(fileName === null ? {} : { fileName }),
    headerFooter: await storeHeaderFooter(inputs, request),
    ...(encryption && { encryption }),
    limits: renderLimits(planLimits(account)),
    templateTest: request.templateTest,
    ...(accountDefaults && { accountDefaults }),
    ...(retentionMinutes === pdfRetention.defaultMinutes ? {} : { pdfRetentionMinutes: retentionMinutes }),
    ...(repeatedFrom === undefined ? {} : { repeatedFrom }),
    responseMode: request.responseMode,
  };
  const reply = request.responseMode.kind === 'wait' ? replies.wait(id, signal) : Promise.resolve(null);
  const aggregate = newAggregate({ ...eventLog, now: () => at }, render, streams.render(id));
  const blobs = [...inputs.deferred(), ...sealedBoxes.deferred()];
  // No event names them, so nothing else would erase them.
  const eraseSealedBoxes = () => Promise.allSettled(sealedBoxesOf(data).map((sha256) => sealedBoxes.delete(sha256)));
  const { position } = await aggregate
    .execute({ type: 'request', data }, request.cause, blobs)
    .catch(async (error: unknown) => {
      if (isCertainlyNotAppended(error)) await eraseSealedBoxes();
      throw error;
    });
  if (position === null) await eraseSealedBoxes();
  else inputs.cacheDeferred();
  // No event: an earlier append of the same request timed out, but has succeeded since.
  const acceptedAt = position ?? (await eventLog.store.read(streams.render(id)))[0]!.position;
  return { id, createdAt: at.toISOString(), position: acceptedAt, fileName, reply };
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
