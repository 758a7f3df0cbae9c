import { createHash } from 'node:crypto';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { idOfStream } from '#contracts/names.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { maxAttempts, render } from '#libs/domain/render.ts';
import { causedBy, loadAggregate } from '#application/command-handling/aggregate.ts';
import { renderPdf } from './render-pdf.ts';
import { requestLogFields } from '#libs/telemetry/traceparent.ts';
import { renderAttributes } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import type { RunRenderDependencies } from './run-render.ts';

/** Longer than anybody waits for an answer. */
const maxRequestAgeMs = 10 * 60 * 1000;

/** How long a PDF that was made again can be had without making it once more. */
const regeneratedPdfLifetimeMs = 60 * 60 * 1000;
const notKept: EventData['PdfRegenerationEnded'] = { pdf: null, keptUntil: null };

const regenerationFailed: ApiErrorFields = {
  name: 'internal_error',
  message: 'The service failed to make the PDF again.',
  extra: {},
};

/** Makes a finished render's PDF again for those who wait for it, and keeps it for an hour where it has the same bytes. */
export const regeneratePdf = async (
  dependencies: RunRenderDependencies,
  stream: string,
  attempt: number,
  span?: Span,
): Promise<MessageResult> => {
  const { eventLog, replies, report, blobs } = dependencies;
  const { history, aggregate } = await loadAggregate(eventLog, render, stream);
  const completed = history.find((event) => event.type === 'RenderCompleted')?.data;
  const asked = history.findLast(({ type }) => type === 'PdfRegenerationRequested');
  // A relay that begins anew publishes every request there ever was: no caller waits for those any more.
  if (!completed || !asked || eventLog.now().getTime() - Date.parse(asked.metadata.occurredAt) > maxRequestAgeMs)
    return { kind: 'done' };
  const id = idOfStream(stream);
  const request = history.find((event) => event.type === 'RenderRequested')!;
  const ids = { render: id, ...requestLogFields(causedBy(asked, 'renderer')) };
  span?.setAttributes(renderAttributes(id, attempt, request.data));
  // Comes before the PDF is stored: what is stored and not in the log would stay for ever.
  const end = (data: EventData['PdfRegenerationEnded']) =>
    aggregate.execute({ type: 'endPdfRegeneration', data }, causedBy(asked, 'renderer'));
  try {
    const { pdf, pages } = await renderPdf(dependencies, request.data, new Date(request.metadata.occurredAt));
    const isSame = createHash('sha256').update(pdf).digest('hex') === completed.pdf.sha256;
    if (!isSame) report(ids, 'a PDF made again has other bytes: the engine is another one by now');
    const { events } = await end(
      isSame
        ? { pdf: completed.pdf, keptUntil: new Date(eventLog.now().getTime() + regeneratedPdfLifetimeMs).toISOString() }
        : notKept,
    );
    if (isSame && events.length > 0)
      await blobs
        .put(pdf)
        .catch((error: unknown) => report({ ...ids, error: String(error) }, 'a PDF made again could not be kept'));
    replies.send(id, { status: 'DONE', pdf, pages, durationMs: completed.durations.totalMs });
  } catch (error) {
    // It comes again as long as anybody waits.
    if (error instanceof BlobNotFound) throw error;
    span?.setError(error);
    const isFinal = error instanceof ApiError && error.fields.name !== 'service_unavailable';
    const comesAgain = !isFinal && attempt < maxAttempts;
    report(
      { ...ids, attempt, error: String(error) },
      'a PDF could not be made again',
      comesAgain || error instanceof ApiError ? 'warn' : 'error',
    );
    if (comesAgain) return { kind: 'retry', delayMs: 100 * attempt };
    await end(notKept);
    replies.send(id, { status: 'FAILED', error: error instanceof ApiError ? error.fields : regenerationFailed });
  }
  return { kind: 'done' };
};
