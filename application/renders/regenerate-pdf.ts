import type { EventData } from '#contracts/events/event-schemas.ts';
import { idOfStream } from '#contracts/names.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { render } from '#libs/domain/render.ts';
import { causedBy, loadAggregate } from '#application/command-handling/aggregate.ts';
import { completedRenderOf } from './completed-render.ts';
import { failureOf, isAwaited, renderAgain } from './render-again.ts';
import { recordedFiles, storeFiles } from './rendered-files.ts';
import { requestLogFields } from '#libs/telemetry/traceparent.ts';
import { renderAttributes } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import type { RunRenderDependencies } from './end-render.ts';
import { secondPdfKeptUntil } from './kept-pdf.ts';
import { completedReply, readKeptReply } from './kept-reply.ts';

const notKept: EventData['PdfRegenerationEnded'] = { pdf: null, keptUntil: null };

/**
 * Sends the PDF of a completed render to the callers who still wait for it: the stored one, or else a second rendering,
 * which is stored for a while if it has the same bytes.
 */
export const regeneratePdf = async (
  dependencies: RunRenderDependencies,
  stream: string,
  attempt: number,
  span?: Span,
): Promise<MessageResult> => {
  const { eventLog, replies, report, outputs } = dependencies;
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
  try {
    const kept = await readKeptReply(outputs, history, eventLog.now());
    if (kept) {
      await end(notKept);
      replies.send(id, kept);
      return { kind: 'done' };
    }
    const { rendered, isSame } = await renderAgain(dependencies, recorded);
    if (!isSame) report(ids, 'regenerated PDF has other bytes; the browser, LibreOffice or a page has changed');
    const keptUntil = secondPdfKeptUntil(requested, history, eventLog.now());
    const { events } = await end(isSame ? { pdf: completed.pdf, keptUntil } : notKept);
    const isStored =
      isSame &&
      events.length > 0 &&
      (await storeFiles(outputs, await recordedFiles(rendered, completed)).then(
        () => true,
        (error: unknown) => {
          report({ ...ids, error: String(error) }, 'regenerated PDF could not be stored');
          return false;
        },
      ));
    const { pages } = rendered;
    replies.send(id, completedReply(recorded, rendered, { pages, keptUntil: isStored ? keptUntil : null }));
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
