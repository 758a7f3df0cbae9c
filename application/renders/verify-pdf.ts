import type { EventData } from '#contracts/events/event-schemas.ts';
import { idOfStream } from '#contracts/names.ts';
import { readIfStored } from '#libs/blob-store/read-if-stored.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { render } from '#libs/domain/render.ts';
import { causedBy, loadAggregate } from '#application/command-handling/aggregate.ts';
import { requestLogFields } from '#libs/telemetry/traceparent.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import type { RunRenderDependencies } from './end-render.ts';
import { secondPdfKeptUntil } from './kept-pdf.ts';
import { readKeptReply } from './kept-reply.ts';
import { completedRenderOf } from './completed-render.ts';
import { failureOf, firstDifferenceOf, isAwaited, renderAgain, type RenderedAgain } from './render-again.ts';
import { recordedFiles, storeFiles } from './rendered-files.ts';
import { renderAttributes } from './telemetry.ts';

type VerifiedData = EventData['RenderVerified'];

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
 * for a while if the request asks for it and the bytes are the same.
 */
export const verifyPdf = async (
  dependencies: RunRenderDependencies,
  stream: string,
  attempt: number,
  span?: Span,
): Promise<MessageResult> => {
  const { eventLog, report, outputs } = dependencies;
  const { history, aggregate } = await loadAggregate(eventLog, render, stream);
  const recorded = completedRenderOf(history);
  const request = history.findLast((event) => event.type === 'VerificationRequested');
  if (!recorded || !request) return { kind: 'done' };
  if (!isAwaited(request, eventLog.now())) return { kind: 'done' };
  if (aggregate.state.status !== 'DONE' || aggregate.state.verification?.ended !== false) return { kind: 'done' };
  const cause = causedBy(request, 'renderer');
  const ids = { render: idOfStream(stream), ...requestLogFields(cause) };
  span?.setAttributes(renderAttributes(idOfStream(stream), attempt, recorded.requested));
  // Before the PDF is stored: a stored PDF without an event would never be erased.
  const end = (data: VerifiedData) => aggregate.execute({ type: 'endVerification', data }, cause);
  try {
    const again = await renderAgain(dependencies, recorded);
    const { pdf } = again.rendered;
    const stored = again.isSame ? null : await readIfStored(outputs, recorded.completed.pdf.sha256);
    const now = eventLog.now();
    const isKept = request.data.keepPdf && again.isSame && (await readKeptReply(outputs, history, now)) === null;
    const keptUntil = isKept ? secondPdfKeptUntil(recorded.requested, history, now) : null;
    const { events } = await end({ outcome: outcomeOf(again, stored && firstDifferenceOf(stored, pdf)), keptUntil });
    if (isKept && events.length > 0)
      await storeFiles(outputs, await recordedFiles(again.rendered, recorded.completed)).catch((error: unknown) =>
        report({ ...ids, error: String(error) }, 'verified PDF could not be stored'),
      );
  } catch (error) {
    const message = 'The service failed to render the document again.';
    const what = 'PDF verification failed';
    const failure = failureOf(error, dependencies, { attempt, span, fields: ids, what, message });
    if (failure.kind === 'retry') return failure;
    await end({ outcome: { kind: 'failed', error: failure.error }, keptUntil: null });
  }
  return { kind: 'done' };
};
