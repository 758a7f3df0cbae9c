import type { EventData } from '#contracts/events/event-schemas.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import type { ErrorName } from '#contracts/http/errors.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import type { RenderReplies } from '#libs/replies/port.ts';
import type { RenderCommand, RenderState } from '#libs/domain/render.ts';
import { inputKindOf } from '#libs/domain/render-inputs.ts';
import type { Aggregate, Cause, EventLog } from '#application/command-handling/aggregate.ts';
import { quotaRendersOf } from '#libs/projections/usage.ts';
import { isPdfKept, pdfLifetimeMs } from './kept-pdf.ts';
import { completedReply } from './kept-reply.ts';
import type { RenderRequestedData } from './load-inputs.ts';
import type { RenderedPdf, RenderPdfDependencies } from './render-pdf.ts';
import { refsOf, storeFiles } from './rendered-files.ts';
import { requestLogFields } from '#libs/telemetry/traceparent.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import type { Report } from '#libs/telemetry/logger.ts';
import { countCompleted, countFailed, resultAttributes } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';

export type RunRenderDependencies = RenderPdfDependencies & {
  eventLog: EventLog;
  /** For the files of renders. A missing one is the problem of its caller; a missing input, in `blobs`, is one of the process. */
  outputs: BlobStore;
  replies: RenderReplies;
  secrets: InstallationSecrets;
  /** The name of this process in events. */
  worker: string;
  report: Report;
};

/** A PDF and its thumbnail in the blob store, and when they are erased. */
type StoredBlobs = EventData['PdfDiscarded'];
type RenderAggregate = Aggregate<RenderState, RenderCommand, RenderEvent>;
/** The time in the queue, and the time of the claim by performance.now(). In milliseconds. */
type Claim = { queueMs: number; at: number };
export type RenderTask = {
  id: string;
  requested: RenderRequestedData;
  requestedAt: Date;
  cause: Cause;
  render: RenderAggregate;
  attempt: number;
  claim: Claim | null;
  span: Span | undefined;
  stored: StoredBlobs | null;
};

const roundMs = (ms: number): number => Math.round(ms * 100) / 100;

/** Never negative, even if the clock was set back. */
export const msSinceRequest = ({ now }: EventLog, { requestedAt }: Pick<RenderTask, 'requestedAt'>): number =>
  Math.max(0, now().getTime() - requestedAt.getTime());

/** Time since the request. Time in this process is measured with a monotonic clock. */
const totalDurationMs = (eventLog: EventLog, task: RenderTask): number =>
  task.claim ? task.claim.queueMs + Math.round(performance.now() - task.claim.at) : msSinceRequest(eventLog, task);

/** Appends RenderCompleted, and sends the PDF to a waiting caller. Stores it if it is kept. */
export const completeRender = async (
  { outputs, eventLog, replies }: RunRenderDependencies,
  task: RenderTask,
  rendered: RenderedPdf,
): Promise<void> => {
  const { contentType, pages, durations, renderMode, renderModeReason, engine, warnings } = rendered;
  const responseMode = task.requested.responseMode.kind;
  const isKept = isPdfKept(task.requested);
  const refs = isKept ? await storeFiles(outputs, rendered) : await refsOf(rendered);
  const now = eventLog.now().getTime();
  if (isKept) task.stored = { ...refs, eraseAfter: new Date(now + pdfLifetimeMs(task.requested)).toISOString() };
  const totalMs = totalDurationMs(eventLog, task);
  const data = {
    attempt: task.attempt,
    input: inputKindOf(task.requested.source),
    ...refs,
    ...(contentType ? { contentType } : {}),
    responseMode,
    keptUntil: task.stored?.eraseAfter ?? null,
    pages,
    renderMode,
    renderModeReason,
    engine,
    warnings: [...warnings],
    ...(rendered.page ? { page: rendered.page } : {}),
    durations: {
      queueMs: task.claim?.queueMs ?? 0,
      prepareMs: roundMs(durations.prepareMs),
      waitMs: roundMs(durations.waitMs),
      loadMs: roundMs(durations.loadMs),
      printMs: roundMs(durations.printMs),
      ...(durations.finishMs ? { finishMs: roundMs(durations.finishMs) } : {}),
      totalMs,
    },
  };
  const { events, position } = await task.render.execute({ type: 'complete', data }, task.cause);
  // Another worker has ended the render and sent the reply.
  const [completed] = events;
  if (completed?.type !== 'RenderCompleted') return;
  if (responseMode === 'wait')
    replies.send(task.id, {
      // As recorded: warnings may be truncated.
      ...completedReply({ ...task, completed: completed.data }, rendered, data),
      position: position!,
    });
  task.span?.setAttributes(resultAttributes(data));
  countCompleted(data);
};

/** Their renders do not count toward the quota. */
const serviceErrors: ReadonlySet<ErrorName> = new Set(['internal_error', 'service_unavailable', 'render_input_lost']);

/** Appends RenderFailed, and sends the error to a waiting caller. */
export const failRender = async (
  { eventLog, replies, report }: RunRenderDependencies,
  task: RenderTask,
  error: ApiErrorFields,
  renderMode: RenderMode | 'none',
): Promise<void> => {
  const isServiceError = serviceErrors.has(error.name);
  const counted = quotaRendersOf(task.requested);
  const responseMode = task.requested.responseMode.kind;
  const data = {
    attempt: task.attempt,
    error,
    responseMode,
    totalMs: totalDurationMs(eventLog, task),
    quotaRefundDate: isServiceError && counted > 0 ? task.requestedAt.toISOString().slice(0, 10) : null,
    ...(isServiceError && counted > 1 ? { quotaRefund: counted } : {}),
  };
  const { events, position } = await task.render.execute({ type: 'fail', data }, task.cause);
  const [failed] = events;
  if (failed?.type !== 'RenderFailed') return;
  // The recorded error may be truncated.
  const recorded = failed.data.error;
  if (responseMode === 'wait') replies.send(task.id, { status: 'FAILED', error: recorded, position: position! });
  task.span?.setError(ApiError.from(recorded));
  countFailed(data, inputKindOf(task.requested.source), renderMode);
  if (error.name === 'internal_error')
    report(
      { render: task.id, attempt: task.attempt, ...requestLogFields(task.cause), error: error.message },
      'render failed',
      'error',
    );
};

/**
 * Lets the sweeper erase a stored PDF whose render has failed, or was completed by another worker with another PDF. The
 * sweeper checks whether another render has the same PDF.
 */
export const discardOrphanedPdf = async ({ stored, render: aggregate, cause }: RenderTask): Promise<void> => {
  if (stored) await aggregate.execute({ type: 'discardPdf', data: stored }, cause);
};
