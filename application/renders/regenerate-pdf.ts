import type { EventData } from '#contracts/events/event-schemas.ts';
import { idOfStream } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { readIfStored } from '#libs/blob-store/read-if-stored.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { render } from '#libs/domain/render.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { causedBy, loadAggregate } from '#application/command-handling/aggregate.ts';
import { completedRenderOf } from './completed-render.ts';
import { failureOf, isAwaited, renderAgain } from './render-again.ts';
import { recordedFiles, type RenderedFiles, storeFiles } from './rendered-files.ts';
import { requestLogFields } from '#libs/telemetry/traceparent.ts';
import { renderAttributes } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import type { RunRenderDependencies } from './end-render.ts';
import { findKeptPdf, isPdfKept, secondPdfLifetimeMs } from './kept-pdf.ts';

const notKept: EventData['PdfRegenerationEnded'] = { pdf: null, keptUntil: null };

/** The files of a render that are still stored, with the end of their time; null if they are not. */
const readKeptFiles = async (
  blobs: BlobStore,
  history: readonly RecordedEvent[],
  now: Date,
): Promise<(RenderedFiles & { keptUntil: string }) | null> => {
  const kept = await findKeptPdf(blobs, history, now);
  if (kept.kind !== 'kept') return null;
  const { sha256, thumbnail, keptUntil } = kept;
  const [pdf, image] = await Promise.all([
    readIfStored(blobs, sha256),
    thumbnail && readIfStored(blobs, thumbnail.sha256),
  ]);
  // A thumbnail that was asked for belongs to the reply.
  return pdf === null || image === null ? null : { pdf, ...(image ? { thumbnail: image } : {}), keptUntil };
};

/**
 * Sends the PDF of a completed render to the callers who still wait for it: the stored one, or else a second rendering,
 * which is stored for at most an hour if it has the same bytes.
 */
export const regeneratePdf = async (
  dependencies: RunRenderDependencies,
  stream: string,
  attempt: number,
  span?: Span,
): Promise<MessageResult> => {
  const { eventLog, replies, report, blobs } = dependencies;
  const { history, aggregate } = await loadAggregate(eventLog, render, stream);
  const recorded = completedRenderOf(history);
  const regenerationRequested = history.findLast(({ type }) => type === 'PdfRegenerationRequested');
  if (!recorded || !regenerationRequested) return { kind: 'done' };
  if (!isAwaited(regenerationRequested, eventLog.now())) return { kind: 'done' };
  const id = idOfStream(stream);
  const { requested, completed } = recorded;
  const ids = { render: id, ...requestLogFields(causedBy(regenerationRequested, 'renderer')) };
  span?.setAttributes(renderAttributes(id, attempt, requested));
  // Before the PDF is stored: a stored PDF without an event would never be erased.
  const end = (data: EventData['PdfRegenerationEnded']) =>
    aggregate.execute({ type: 'endPdfRegeneration', data }, causedBy(regenerationRequested, 'renderer'));
  const { durations, warnings, contentType } = completed;
  const reply = ({ pdf, thumbnail }: RenderedFiles, pages: number, keptUntil: string | null): void =>
    replies.send(id, {
      status: 'DONE',
      pdf,
      ...(contentType ? { contentType } : {}),
      ...(thumbnail ? { thumbnail } : {}),
      pages,
      durationMs: durations.totalMs,
      warnings,
      ...(keptUntil !== null && isPdfKept(requested) ? { keptUntil } : {}),
    });
  try {
    const kept = await readKeptFiles(blobs, history, eventLog.now());
    if (kept) {
      await end(notKept);
      reply(kept, completed.pages, kept.keptUntil);
      return { kind: 'done' };
    }
    const { rendered, isSame } = await renderAgain(dependencies, recorded);
    if (!isSame) report(ids, 'regenerated PDF has other bytes; the browser, LibreOffice or a page has changed');
    const keptUntil = new Date(eventLog.now().getTime() + secondPdfLifetimeMs(requested)).toISOString();
    const { events } = await end(isSame ? { pdf: completed.pdf, keptUntil } : notKept);
    const isStored =
      isSame &&
      events.length > 0 &&
      (await storeFiles(blobs, await recordedFiles(rendered, completed)).then(
        () => true,
        (error: unknown) => {
          report({ ...ids, error: String(error) }, 'regenerated PDF could not be stored');
          return false;
        },
      ));
    reply(rendered, rendered.pages, isStored ? keptUntil : null);
  } catch (error) {
    const message = 'The service failed to regenerate the PDF.';
    const what = 'PDF regeneration failed';
    const failure = failureOf(error, dependencies, { attempt, span, fields: ids, what, message });
    if (failure.kind === 'retry') return failure;
    await end(notKept);
    replies.send(id, { status: 'FAILED', error: failure.error });
  }
  return { kind: 'done' };
};
