import { createHash } from 'node:crypto';
import type { EventData } from '#contracts/events/event-schemas.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import { idOfStream } from '#contracts/names.ts';
import type { RenderReplies } from '#libs/replies/port.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import { hasWaitedAnHour } from '#libs/bus/redelivery-delays.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { renderModeOf } from '#libs/chromium/render-mode.ts';
import { DiskWriteError } from '#libs/disk/disk-monitor.ts';
import { maxAttempts, nextAttempt, render, type RenderCommand, type RenderState } from '#libs/domain/render.ts';
import {
  type Aggregate,
  type Cause,
  causedBy,
  loadAggregate,
  loadCachedAggregate,
  type EventLog,
} from '#application/command-handling/aggregate.ts';
import { isEventRejected } from '#application/command-handling/event-validation.ts';
import { countsTowardQuota } from '#libs/projections/usage.ts';
import {
  renderPdf,
  type RenderedPdf,
  type RenderRequestedData,
  preloadInputs,
  type RenderPdfDependencies,
} from './render-pdf.ts';
import { requestLogFields } from '#libs/telemetry/traceparent.ts';
import type { Report } from '#libs/telemetry/logger.ts';
import { count } from '#libs/telemetry/metrics.ts';
import { lostEveryAttempt, lostInput, lastAttemptError } from './final-errors.ts';
import { renderAttributes, countCompleted, countFailed, resultAttributes } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';

export type RunRenderDependencies = RenderPdfDependencies & {
  eventLog: EventLog;
  replies: RenderReplies;
  /** The name of this process in events. */
  worker: string;
  report: Report;
};

/** A PDF in the blob store, and when it is erased. */
type StoredPdf = EventData['PdfDiscarded'];
type RenderAggregate = Aggregate<RenderState, RenderCommand, RenderEvent>;
/** The time in the queue, and the time of the claim by performance.now(). In milliseconds. */
type Claim = { queueMs: number; at: number };
type RenderTask = {
  id: string;
  requested: RenderRequestedData;
  requestedAt: Date;
  cause: Cause;
  render: RenderAggregate;
  attempt: number;
  claim: Claim | null;
  span: Span | undefined;
  stored: StoredPdf | null;
};

const roundMs = (ms: number): number => Math.round(ms * 100) / 100;
/** How long the PDF of an asynchronous render is stored. */
const pdfLifetimeMs = 60 * 60 * 1000;
const done: MessageResult = { kind: 'done' };

/** Never negative, even if the clock was set back. */
const msSinceRequest = ({ now }: EventLog, { requestedAt }: Pick<RenderTask, 'requestedAt'>): number =>
  Math.max(0, now().getTime() - requestedAt.getTime());

/** Time since the request. Time in this process is measured with a monotonic clock. */
const totalDurationMs = (eventLog: EventLog, task: RenderTask): number =>
  task.claim ? task.claim.queueMs + Math.round(performance.now() - task.claim.at) : msSinceRequest(eventLog, task);

const inputKindOf = ({ source }: RenderRequestedData) =>
  source.mode === 'CONVERT' ? source.inputType : ('template' as const);

const complete = async (
  { blobs, eventLog, replies }: RunRenderDependencies,
  task: RenderTask,
  rendered: RenderedPdf,
): Promise<void> => {
  const { pdf, pages, durations, renderMode, renderModeReason, browserVersion, warnings } = rendered;
  const responseMode = task.requested.responseMode.kind;
  const ref =
    responseMode !== 'wait'
      ? await blobs.put(pdf)
      : { sha256: createHash('sha256').update(pdf).digest('hex'), size: pdf.byteLength };
  const now = eventLog.now().getTime();
  if (responseMode !== 'wait') task.stored = { pdf: ref, eraseAfter: new Date(now + pdfLifetimeMs).toISOString() };
  const totalMs = totalDurationMs(eventLog, task);
  const data = {
    attempt: task.attempt,
    input: inputKindOf(task.requested),
    pdf: ref,
    responseMode,
    keptUntil: task.stored?.eraseAfter ?? null,
    pages,
    renderMode,
    renderModeReason,
    browserVersion,
    warnings: [...warnings],
    durations: {
      queueMs: task.claim?.queueMs ?? 0,
      prepareMs: roundMs(durations.prepareMs),
      waitMs: roundMs(durations.waitMs),
      loadMs: roundMs(durations.loadMs),
      printMs: roundMs(durations.printMs),
      totalMs,
    },
  };
  const { events } = await task.render.execute({ type: 'complete', data }, task.cause);
  // Another worker has ended the render and sent the reply.
  if (events.length === 0) return;
  if (responseMode === 'wait') replies.send(task.id, { status: 'DONE', pdf, pages, durationMs: totalMs });
  task.span?.setAttributes(resultAttributes(data));
  countCompleted(data);
};

const fail = async (
  { eventLog, replies, report }: RunRenderDependencies,
  task: RenderTask,
  error: ApiErrorFields,
  renderMode: RenderMode | 'none',
): Promise<void> => {
  const isServiceError = error.name === 'internal_error' || error.name === 'service_unavailable';
  const counted = countsTowardQuota(task.requested);
  const responseMode = task.requested.responseMode.kind;
  const data = {
    attempt: task.attempt,
    error,
    responseMode,
    totalMs: totalDurationMs(eventLog, task),
    quotaRefundDate: isServiceError && counted ? task.requestedAt.toISOString().slice(0, 10) : null,
  };
  const { events } = await task.render.execute({ type: 'fail', data }, task.cause);
  const [failed] = events;
  if (failed?.type !== 'RenderFailed') return;
  // The recorded error may be truncated.
  const recorded = failed.data.error;
  if (responseMode === 'wait') replies.send(task.id, { status: 'FAILED', error: recorded });
  task.span?.setError(ApiError.from(recorded));
  countFailed(data, inputKindOf(task.requested), renderMode);
  if (error.name === 'internal_error')
    report(
      { render: task.id, attempt: task.attempt, ...requestLogFields(task.cause), error: error.message },
      'render failed',
      'error',
    );
};

/**
 * Lets the sweeper erase a stored PDF whose render has failed. The sweeper checks whether another render has the same
 * PDF.
 */
const discardOrphanedPdf = async ({ stored, render: aggregate, cause }: RenderTask): Promise<void> => {
  if (stored && aggregate.state.status === 'FAILED')
    await aggregate.execute({ type: 'discardPdf', data: stored }, cause);
};

/** The dependencies, recording the render mode for the metrics of a failed render. */
const trackRenderMode = ({ preparation, printer }: RenderPdfDependencies, blobs: BlobStore) => {
  const tracked: { renderMode: RenderMode | 'none' } = { renderMode: 'none' };
  const print: RenderPdfDependencies['printer']['print'] = (request) => {
    tracked.renderMode = renderModeOf(request);
    return printer.print(request);
  };
  return Object.assign(tracked, { dependencies: { blobs, preparation, printer: { ...printer, print } } });
};

/**
 * Null if a blob has been missing for an hour. Until then the render waits without losing an attempt. @throws
 * BlobNotFound, and errors of the blob store
 */
const loadInputs = async (
  { blobs }: RunRenderDependencies,
  { requested }: Pick<RenderTask, 'requested'>,
  deliveryCount: number,
): Promise<BlobStore | null> => {
  try {
    return await preloadInputs(blobs, requested);
  } catch (error) {
    if (error instanceof BlobNotFound && hasWaitedAnHour(deliveryCount)) return null;
    throw error;
  }
};

const busyDelayMs = 5_000;

/** Only asynchronous renders are retried; a waiting caller gets the error. */
const canRetryWhenBusy = ({ name }: ApiErrorFields, { requested, attempt }: RenderTask): boolean =>
  name === 'service_unavailable' && requested.responseMode.kind !== 'wait' && attempt < maxAttempts;

const makeAttempt = async (
  dependencies: RunRenderDependencies,
  task: RenderTask,
  inputs: BlobStore,
): Promise<MessageResult> => {
  const tracked = trackRenderMode(dependencies, inputs);
  try {
    // Documents that share a crashed browser are retried together. Isolated, the one that crashes it does not fail the
    // others.
    const isolated = task.attempt === maxAttempts;
    await complete(
      dependencies,
      task,
      await renderPdf(tracked.dependencies, task.requested, task.requestedAt, isolated),
    );
    return done;
  } catch (error) {
    if (error instanceof ApiError && canRetryWhenBusy(error.fields, task))
      return { kind: 'retry', delayMs: busyDelayMs };
    if (error instanceof ApiError) {
      await fail(dependencies, task, error.fields, tracked.renderMode);
      return done;
    }
    if (error instanceof DiskWriteError) throw error;
    task.span?.setError(error);
    count('colophon.render.failed_attempts', 1, {});
    dependencies.report(
      { render: task.id, attempt: task.attempt, ...requestLogFields(task.cause), error: String(error) },
      'render attempt failed',
    );
    if (task.attempt < maxAttempts && !isEventRejected(error)) return { kind: 'retry', delayMs: 100 * task.attempt };
    await fail(dependencies, task, lastAttemptError(error), tracked.renderMode);
    return done;
  }
};

/**
 * Handles one message: claims the render, renders the PDF, and appends the outcome. A second call has no effect.
 * `deliveryCount` is
 * that of the message. The first time, the cached history is enough: if it is incomplete, the claim fails with a
 * conflict, and the
 * redelivered message reads the whole history.
 * @throws errors of the blob store, before the claim; the message must be redelivered
 */
export const runRender = async (
  dependencies: RunRenderDependencies,
  stream: string,
  deliveryCount: number,
  span?: Span,
): Promise<MessageResult> => {
  const { history, aggregate, isComplete } = await (deliveryCount === 1 ? loadCachedAggregate : loadAggregate)(
    dependencies.eventLog,
    render,
    stream,
  );
  const request = history[0];
  if (!request || request.type !== 'RenderRequested') return done;
  const { state } = aggregate;
  const task: RenderTask = {
    id: idOfStream(stream),
    requested: request.data,
    requestedAt: new Date(request.metadata.occurredAt),
    cause: causedBy(request, 'renderer'),
    render: aggregate,
    attempt: nextAttempt(state) ?? maxAttempts,
    span,
    claim: null,
    stored: null,
  };
  span?.setAttributes(renderAttributes(task.id, task.attempt, task.requested));
  if (nextAttempt(state) === null) {
    if (state.status === 'PROCESSING') await fail(dependencies, task, lostEveryAttempt, 'none');
    return done;
  }
  const inputs = await loadInputs(dependencies, task, deliveryCount);
  const [queueMs, at] = [msSinceRequest(dependencies.eventLog, task), performance.now()];
  const { events } = await aggregate.execute(
    { type: 'claim', attempt: task.attempt, worker: dependencies.worker, queueMs },
    task.cause,
  );
  if (events.length === 0) return isComplete ? done : { kind: 'retry', delayMs: 0 };
  const claimedTask: RenderTask = { ...task, claim: { queueMs, at } };
  if (inputs === null) {
    await fail(dependencies, claimedTask, lostInput, 'none');
    return done;
  }
  const result = await makeAttempt(dependencies, claimedTask, inputs);
  await discardOrphanedPdf(claimedTask);
  return result;
};
