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
import { BrowserGone } from '#libs/chromium/cdp/errors.ts';
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
import { renderAttributes, countCompleted, countFailed, resultAttributes } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';

export type RunRenderDependencies = RenderPdfDependencies & {
  eventLog: EventLog;
  replies: RenderReplies;
  /** Names this process in the log. */
  worker: string;
  report: Report;
};

/** A PDF that was put into the blob store, and until when it is kept there. */
type StoredPdf = EventData['PdfDiscarded'];
type RenderAggregate = Aggregate<RenderState, RenderCommand, RenderEvent>;
/** How long the render waited for a worker, in milliseconds, and since when (by performance.now()) it has one. */
type Claim = { queueMs: number; at: number };
type RenderTask = {
  id: string;
  requested: RenderRequestedData;
  requestedAt: Date;
  cause: Cause;
  render: RenderAggregate;
  attempt: number;
  claimed: Claim | null;
  span: Span | undefined;
  stored: StoredPdf | null;
};

const roundMs = (ms: number): number => Math.round(ms * 100) / 100;
/** How long the PDF of an asynchronous render can be fetched. */
const pdfLifetimeMs = 60 * 60 * 1000;
const done: MessageResult = { kind: 'done' };

/** In milliseconds. A clock that was set back since must not make it negative. */
const msSinceRequest = ({ now }: EventLog, { requestedAt }: Pick<RenderTask, 'requestedAt'>): number =>
  Math.max(0, now().getTime() - requestedAt.getTime());

/** From the request until now, in milliseconds: what passes in this process is measured by a clock that is never set. */
const totalDurationMs = (eventLog: EventLog, task: RenderTask): number =>
  task.claimed
    ? task.claimed.queueMs + Math.round(performance.now() - task.claimed.at)
    : msSinceRequest(eventLog, task);

const inputKindOf = ({ source }: RenderRequestedData) =>
  source.mode === 'CONVERT' ? source.inputType : ('template' as const);

const complete = async (
  { blobs, eventLog, replies }: RunRenderDependencies,
  task: RenderTask,
  produced: RenderedPdf,
): Promise<void> => {
  const { pdf, pages, durations, renderMode, renderModeReason, browserVersion, warnings } = produced;
  const reply = task.requested.responseMode.kind;
  const ref =
    reply !== 'wait'
      ? await blobs.put(pdf)
      : { sha256: createHash('sha256').update(pdf).digest('hex'), size: pdf.byteLength };
  const now = eventLog.now().getTime();
  if (reply !== 'wait') task.stored = { pdf: ref, eraseAfter: new Date(now + pdfLifetimeMs).toISOString() };
  const totalMs = totalDurationMs(eventLog, task);
  const data = {
    attempt: task.attempt,
    input: inputKindOf(task.requested),
    pdf: ref,
    responseMode: reply,
    keptUntil: task.stored?.eraseAfter ?? null,
    pages,
    renderMode,
    renderModeReason,
    browserVersion,
    warnings: [...warnings],
    durations: {
      queueMs: task.claimed?.queueMs ?? 0,
      prepareMs: roundMs(durations.prepareMs),
      waitMs: roundMs(durations.waitMs),
      loadMs: roundMs(durations.loadMs),
      printMs: roundMs(durations.printMs),
      totalMs,
    },
  };
  const { events } = await task.render.execute({ type: 'complete', data }, task.cause);
  // Nothing to add: another worker had ended the render before, and has given the answer that the log holds.
  if (events.length === 0) return;
  if (reply === 'wait') replies.send(task.id, { status: 'DONE', pdf, pages, durationMs: totalMs });
  task.span?.setAttributes(resultAttributes(data));
  countCompleted(data);
};

const fail = async (
  { eventLog, replies, report }: RunRenderDependencies,
  task: RenderTask,
  fault: ApiErrorFields,
  renderMode: RenderMode | 'none',
): Promise<void> => {
  const ownFault = fault.name === 'internal_error' || fault.name === 'service_unavailable';
  const counted = countsTowardQuota(task.requested);
  const reply = task.requested.responseMode.kind;
  const data = {
    attempt: task.attempt,
    error: fault,
    responseMode: reply,
    totalMs: totalDurationMs(eventLog, task),
    quotaRefundDate: ownFault && counted ? task.requestedAt.toISOString().slice(0, 10) : null,
  };
  const { events } = await task.render.execute({ type: 'fail', data }, task.cause);
  const [failed] = events;
  if (failed?.type !== 'RenderFailed') return;
  // What the log holds, which may be cut.
  const recorded = failed.data.error;
  if (reply === 'wait') replies.send(task.id, { status: 'FAILED', error: recorded });
  task.span?.setError(ApiError.from(recorded));
  countFailed(data, inputKindOf(task.requested), renderMode);
  if (fault.name === 'internal_error')
    report(
      { render: task.id, attempt: task.attempt, ...requestLogFields(task.cause), error: fault.message },
      'a render has failed, and not by its document',
      'error',
    );
};

const browserCrashedEveryAttempt: ApiErrorFields = {
  name: 'conversion_failed',
  message: `The document ended the browser at each of ${maxAttempts} attempts.`,
  extra: { details: 'It probably needs more memory than the service gives to one document.' },
};
/** The cause is unknown: the workers that had claimed the render are gone, and the document may have had no part in it. */
const lostEveryAttempt: ApiErrorFields = {
  name: 'internal_error',
  message: `The service ended before the document was done, at each of ${maxAttempts} attempts.`,
  extra: {},
};
const failedEveryAttempt: ApiErrorFields = {
  name: 'internal_error',
  message: 'The service failed to render the document.',
  extra: {},
};
const lostInput: ApiErrorFields = {
  name: 'internal_error',
  message: 'The service has lost what the document was to be made from.',
  extra: {},
};

const notRecorded: ApiErrorFields = {
  name: 'internal_error',
  message: 'The service made the document but could not record it.',
  extra: {},
};

const lastAttemptError = (error: unknown): ApiErrorFields => {
  if (isEventRejected(error)) return notRecorded;
  return error instanceof BrowserGone ? browserCrashedEveryAttempt : failedEveryAttempt;
};

/** Hands a stored PDF that its render does not name to the sweeper, which knows whether another render names the same bytes. */
const discardOrphanedPdf = async ({ stored, render: aggregate, cause }: RenderTask): Promise<void> => {
  if (stored && aggregate.state.status === 'FAILED')
    await aggregate.execute({ type: 'discardPdf', data: stored }, cause);
};

/** The same dependencies, which note the render mode of what is printed: an error does not say it. */
const trackRenderMode = ({ preparation, printer }: RenderPdfDependencies, blobs: BlobStore) => {
  const seen: { renderMode: RenderMode | 'none' } = { renderMode: 'none' };
  const print: RenderPdfDependencies['printer']['print'] = (request) => {
    seen.renderMode = renderModeOf(request);
    return printer.print(request);
  };
  return Object.assign(seen, { dependencies: { blobs, preparation, printer: { ...printer, print } } });
};

/** Null where the blob store has lacked it for an hour: until then no document pays for that with an attempt. @throws BlobMissing, and what else keeps blobs from being read */
const loadInputs = async (
  { blobs }: RunRenderDependencies,
  { requested }: Pick<RenderTask, 'requested'>,
  delivery: number,
): Promise<BlobStore | null> => {
  try {
    return await preloadInputs(blobs, requested);
  } catch (error) {
    if (error instanceof BlobNotFound && hasWaitedAnHour(delivery)) return null;
    throw error;
  }
};

const busyDelayMs = 5_000;

/** A caller who waits gets the error at once; an asynchronous render has its other attempts. */
const canRetryWhenBusy = ({ name }: ApiErrorFields, { requested, attempt }: RenderTask): boolean =>
  name === 'service_unavailable' && requested.responseMode.kind !== 'wait' && attempt < maxAttempts;

const makeAttempt = async (
  dependencies: RunRenderDependencies,
  task: RenderTask,
  inputs: BlobStore,
): Promise<MessageResult> => {
  const seen = trackRenderMode(dependencies, inputs);
  try {
    // Documents that lose their browser together come back together: whichever of them is to blame must not take the last attempt of the others.
    const alone = task.attempt === maxAttempts;
    await complete(dependencies, task, await renderPdf(seen.dependencies, task.requested, task.requestedAt, alone));
    return done;
  } catch (error) {
    if (error instanceof ApiError && canRetryWhenBusy(error.fields, task))
      return { kind: 'retry', delayMs: busyDelayMs };
    if (error instanceof ApiError) {
      await fail(dependencies, task, error.fields, seen.renderMode);
      return done;
    }
    if (error instanceof DiskWriteError) throw error;
    task.span?.setError(error);
    count('colophon.render.failed_attempts', 1, {});
    dependencies.report(
      { render: task.id, attempt: task.attempt, ...requestLogFields(task.cause), error: String(error) },
      'an attempt to render failed',
    );
    if (task.attempt < maxAttempts && !isEventRejected(error)) return { kind: 'retry', delayMs: 100 * task.attempt };
    await fail(dependencies, task, lastAttemptError(error), seen.renderMode);
    return done;
  }
};

/**
 * Does the work of one message: claims the render, makes the PDF, appends the outcome. A second call does nothing. `delivery` counts how often the message was delivered: the first time
 * the events that this process has received are enough, since the claim is refused where there are more. The message comes again then, and the whole history is read.
 * @throws where what it is made from cannot be read: nothing has been claimed then, and the message is to come again
 */
export const runRender = async (
  dependencies: RunRenderDependencies,
  stream: string,
  delivery: number,
  span?: Span,
): Promise<MessageResult> => {
  const { history, aggregate, isWhole } = await (delivery === 1 ? loadCachedAggregate : loadAggregate)(
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
    claimed: null,
    stored: null,
  };
  span?.setAttributes(renderAttributes(task.id, task.attempt, task.requested));
  if (nextAttempt(state) === null) {
    if (state.status === 'PROCESSING') await fail(dependencies, task, lostEveryAttempt, 'none');
    return done;
  }
  const inputs = await loadInputs(dependencies, task, delivery);
  const [queueMs, at] = [msSinceRequest(dependencies.eventLog, task), performance.now()];
  const claim = await aggregate.execute(
    { type: 'claim', attempt: task.attempt, worker: dependencies.worker, queueMs },
    task.cause,
  );
  if (claim.events.length === 0) return isWhole ? done : { kind: 'retry', delayMs: 0 };
  const claimed: RenderTask = { ...task, claimed: { queueMs, at } };
  if (inputs === null) {
    await fail(dependencies, claimed, lostInput, 'none');
    return done;
  }
  const end = await makeAttempt(dependencies, claimed, inputs);
  await discardOrphanedPdf(claimed);
  return end;
};
