import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import { idOfStream } from '#contracts/names.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import { hasWaitedAnHour } from '#libs/bus/redelivery-delays.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { renderModeOf } from '#libs/chromium/render-mode.ts';
import { DiskWriteError } from '#libs/disk/disk-monitor.ts';
import type { Office } from '#libs/office/port.ts';
import { TaskFailed } from '#libs/documents/worker/task-failed.ts';
import { maxAttempts, nextAttempt, render } from '#libs/domain/render.ts';
import { causedBy, loadAggregate, loadCachedAggregate } from '#application/command-handling/aggregate.ts';
import { isEventRejected } from '#application/command-handling/event-validation.ts';
import { erasePageSecrets, openPageSecrets } from './page-secrets.ts';
import { preloadInputs } from './load-inputs.ts';
import type { RenderPdfDependencies } from './render-pdf.ts';
import { renderRequested } from './render-requested.ts';
import { requestLogFields } from '#libs/telemetry/traceparent.ts';
import { count } from '#libs/telemetry/metrics.ts';
import { lostLastAttempt, lostInput, lastAttemptError } from './final-errors.ts';
import { renderAttributes } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import {
  completeRender,
  discardOrphanedPdf,
  failRender,
  msSinceRequest,
  type RenderTask,
  type RunRenderDependencies,
} from './end-render.ts';

const done: MessageResult = { kind: 'done' };

/** Whether the render was claimed; false if another worker has claimed or ended it. */
type Claiming = Promise<boolean>;

/**
 * The dependencies, recording the render mode for the metrics of a failed render. A document is prepared while its
 * claim is appended, but not printed: an attempt that ends this process must count.
 */
const trackRenderMode = (
  { preparation, printer, secrets, office }: RenderPdfDependencies,
  blobs: BlobStore,
  claiming: Claiming,
) => {
  let renderMode: RenderMode | 'none' = 'none';
  const requireClaim = async (): Promise<void> => {
    if (!(await claiming)) throw new Error('The render is claimed by another worker.');
  };
  const print: RenderPdfDependencies['printer']['print'] = async (request) => {
    await requireClaim();
    renderMode = renderModeOf(request);
    return printer.print(request);
  };
  const convert: Office['convert'] = async (request) => {
    await requireClaim();
    return office!.convert(request);
  };
  const claimed = { office: office && { ...office, convert }, printer: { ...printer, print } };
  return { dependencies: { blobs, preparation, secrets, ...claimed }, renderMode: () => renderMode };
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

/** Logs an unexpected error in a document, so that developers can correct the cause. */
const reportCause = ({ report }: RunRenderDependencies, { id, attempt, cause }: RenderTask, error: ApiError): void => {
  if (error.cause !== undefined)
    report(
      { render: id, attempt, ...requestLogFields(cause), error: error.cause },
      'document could not be converted because of an unexpected error',
      'error',
    );
};

/** Null if the render was not claimed. @throws errors of the claim */
const makeAttempt = async (
  dependencies: RunRenderDependencies,
  task: RenderTask,
  inputs: BlobStore,
  claiming: Claiming,
): Promise<MessageResult | null> => {
  const tracked = trackRenderMode(dependencies, inputs, claiming);
  try {
    // Documents that share a crashed browser are retried together. Isolated, the one that crashes it does not fail the
    // others.
    const isolated = task.attempt === maxAttempts;
    const { source } = task.requested;
    const page = source.mode === 'CONVERT' ? source.page : undefined;
    const secrets = page ? { pageSecrets: await openPageSecrets(dependencies, task.id, page) } : {};
    const rendered = await renderRequested(tracked.dependencies, task.requested, task.requestedAt, {
      isolated,
      ...secrets,
    });
    if (!(await claiming)) return null;
    await completeRender(dependencies, task, rendered);
    return done;
  } catch (error) {
    if (!(await claiming)) return null;
    if (error instanceof ApiError && canRetryWhenBusy(error.fields, task))
      return { kind: 'retry', delayMs: busyDelayMs };
    if (error instanceof ApiError) {
      reportCause(dependencies, task, error);
      await failRender(dependencies, task, error.fields, tracked.renderMode());
      return done;
    }
    if (error instanceof DiskWriteError) throw error;
    task.span?.setError(error);
    count('colophon.render.failed_attempts', 1, {});
    dependencies.report(
      { render: task.id, attempt: task.attempt, ...requestLogFields(task.cause), error: String(error) },
      'render attempt failed',
    );
    const isFinal = isEventRejected(error) || error instanceof TaskFailed;
    if (task.attempt < maxAttempts && !isFinal) return { kind: 'retry', delayMs: 100 * task.attempt };
    await failRender(dependencies, task, lastAttemptError(error), tracked.renderMode());
    return done;
  }
};

/**
 * Handles one message: claims the render, renders the PDF, and appends the outcome. A second call has no effect.
 * `deliveryCount` is that of the message. The first time, the cached history is enough: if it is incomplete, the claim
 * fails with a conflict, and the redelivered message reads the whole history.
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
    if (state.status === 'PROCESSING') await failRender(dependencies, task, lostLastAttempt, 'none');
    return done;
  }
  const inputs = await loadInputs(dependencies, task, deliveryCount);
  const [queueMs, at] = [msSinceRequest(dependencies.eventLog, task), performance.now()];
  const claiming: Claiming = aggregate
    .execute({ type: 'claim', attempt: task.attempt, worker: dependencies.worker, queueMs }, task.cause)
    .then(({ events }) => events.length > 0);
  // Its error is thrown where it is awaited, after the preparation.
  claiming.catch(() => undefined);
  const claimedTask: RenderTask = { ...task, claim: { queueMs, at } };
  const notClaimed: MessageResult = isComplete ? done : { kind: 'retry', delayMs: 0 };
  if (inputs === null) {
    if (!(await claiming)) return notClaimed;
    await failRender(dependencies, claimedTask, lostInput, 'none');
    return done;
  }
  const result = await makeAttempt(dependencies, claimedTask, inputs, claiming);
  if (result === null) return notClaimed;
  await discardOrphanedPdf(claimedTask);
  await erasePageSecrets(dependencies.blobs, aggregate, task.cause);
  return result;
};
