import type { EventData } from '#contracts/events/event-schemas.ts';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { idOfStream } from '#contracts/names.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { TaskFailed } from '#libs/documents/worker/task-failed.ts';
import { maxAttempts, render } from '#libs/domain/render.ts';
import { causedBy, loadAggregate } from '#application/command-handling/aggregate.ts';
import { requestLogFields } from '#libs/telemetry/traceparent.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import type { RunRenderDependencies } from './end-render.ts';
import { keptPdfOf, repeatedPdfLifetimeMs } from './kept-pdf.ts';
import { completedRenderOf } from './completed-render.ts';
import { firstDifferenceOf, renderAgain, type RenderedAgain } from './render-again.ts';
import { recordedFiles, storeFiles } from './rendered-files.ts';
import { renderAttributes } from './telemetry.ts';

type VerifiedData = EventData['RenderVerified'];

/** Longer than any caller waits for a response. */
const maxRequestAgeMs = 10 * 60 * 1000;

const verificationFailed: ApiErrorFields = {
  name: 'internal_error',
  message: 'The service failed to render the document again.',
  extra: {},
};

/** The recorded PDF if it is still stored. It may be erased at any time. */
const readStoredPdf = async (blobs: BlobStore, sha256: string): Promise<Uint8Array | null> => {
  if (!(await blobs.has(sha256))) return null;
  return blobs.get(sha256).catch((error: unknown) => {
    if (error instanceof BlobNotFound) return null;
    throw error;
  });
};

const outcomeOf = (
  { rendered: { pdf, pages, engine, page }, sha256, thumbnail }: RenderedAgain,
  firstDifference: number | null,
): VerifiedData['outcome'] => ({
  kind: 'rendered',
  pdf: { sha256, size: pdf.byteLength },
  ...(thumbnail ? { thumbnail } : {}),
  pages,
  engine,
  firstDifference,
  ...(page ? { page } : {}),
});

/**
 * Renders the document of a completed render again and appends whether the PDF has the same bytes. Stores the PDF
 * for at most an hour if the request asks for it and the bytes are the same.
 */
export const verifyPdf = async (
  dependencies: RunRenderDependencies,
  stream: string,
  attempt: number,
  span?: Span,
): Promise<MessageResult> => {
  const { eventLog, report, blobs } = dependencies;
  const { history, aggregate } = await loadAggregate(eventLog, render, stream);
  const recorded = completedRenderOf(history);
  const request = history.findLast((event) => event.type === 'VerificationRequested');
  if (!recorded || !request) return { kind: 'done' };
  // A restarted relay publishes all requests again. Callers no longer wait for the old ones.
  if (eventLog.now().getTime() - Date.parse(request.metadata.occurredAt) > maxRequestAgeMs) return { kind: 'done' };
  if (aggregate.state.status !== 'DONE' || aggregate.state.verification?.ended !== false) return { kind: 'done' };
  const cause = causedBy(request, 'renderer');
  const ids = { render: idOfStream(stream), ...requestLogFields(cause) };
  span?.setAttributes(renderAttributes(idOfStream(stream), attempt, recorded.requested));
  // Before the PDF is stored: a stored PDF without an event would never be erased.
  const end = (data: VerifiedData) => aggregate.execute({ type: 'endVerification', data }, cause);
  try {
    const again = await renderAgain(dependencies, recorded);
    const { pdf } = again.rendered;
    const stored = again.isSame ? null : await readStoredPdf(blobs, recorded.completed.pdf.sha256);
    const now = eventLog.now();
    const isKept = request.data.keepPdf && again.isSame && keptPdfOf(history, now).kind !== 'kept';
    const lifetimeMs = repeatedPdfLifetimeMs(recorded.requested);
    const keptUntil = isKept ? new Date(now.getTime() + lifetimeMs).toISOString() : null;
    const { events } = await end({ outcome: outcomeOf(again, stored && firstDifferenceOf(stored, pdf)), keptUntil });
    if (isKept && events.length > 0)
      await storeFiles(blobs, recordedFiles(again.rendered, recorded.completed)).catch((error: unknown) =>
        report({ ...ids, error: String(error) }, 'verified PDF could not be stored'),
      );
  } catch (error) {
    // The message is redelivered while callers wait.
    if (error instanceof BlobNotFound) throw error;
    span?.setError(error);
    const isOfDocument = error instanceof ApiError;
    const isFinal = isOfDocument ? error.fields.name !== 'service_unavailable' : error instanceof TaskFailed;
    const isRetried = !isFinal && attempt < maxAttempts;
    report(
      { ...ids, attempt, error: String(error) },
      'PDF verification failed',
      isRetried || isOfDocument ? 'warn' : 'error',
    );
    if (isRetried) return { kind: 'retry', delayMs: 100 * attempt };
    const recordedError = isOfDocument ? error.fields : verificationFailed;
    await end({ outcome: { kind: 'failed', error: recordedError }, keptUntil: null });
  }
  return { kind: 'done' };
};
