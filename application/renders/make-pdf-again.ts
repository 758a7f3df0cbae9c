import { createHash } from 'node:crypto';
import type { EventData } from '#contracts/events/all.ts';
import { type Fault, Problem } from '#contracts/http/problem.ts';
import { idOfStream } from '#contracts/names.ts';
import { BlobMissing } from '#libs/blob-store/port.ts';
import type { WorkEnd } from '#libs/bus/work.ts';
import { maxAttempts, render } from '#libs/domain/render.ts';
import { causedBy, load } from '#application/handling/handle.ts';
import { produce } from './produce.ts';
import { idsOf } from '#libs/telemetry/traceparent.ts';
import { attributesOf } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import type { RendererDependencies } from './run-render.ts';

/** Longer than anybody waits for an answer. */
const awaitedMs = 10 * 60 * 1000;

/** How long a PDF that was made again can be had without making it once more. */
const keptMs = 60 * 60 * 1000;
const notKept: EventData['PdfMadeAgain'] = { pdf: null, keptUntil: null };

const failed: Fault = { name: 'internal_error', message: 'The service failed to make the PDF again.', extra: {} };

/** Makes a finished render's PDF again for those who wait for it, and keeps it for an hour where it has the same bytes. */
export const makePdfAgain = async (dependencies: RendererDependencies, stream: string, attempt: number, span?: Span): Promise<WorkEnd> => {
  const { log, answers, report, blobs } = dependencies;
  const { history, aggregate } = await load(log, render, stream);
  const completed = history.find((event) => event.type === 'RenderCompleted')?.data;
  const asked = history.findLast(({ type }) => type === 'PdfRequestedAgain');
  // A relay that begins anew publishes every request there ever was: no caller waits for those any more.
  if (!completed || !asked || log.now().getTime() - Date.parse(asked.metadata.occurredAt) > awaitedMs) return { kind: 'done' };
  const id = idOfStream(stream);
  const request = history.find((event) => event.type === 'RenderRequested')!;
  const ids = { render: id, ...idsOf(causedBy(asked, 'renderer')) };
  span?.note(attributesOf(id, attempt, request.data));
  // Comes before the PDF is stored: what is stored and not in the log would stay for ever.
  const end = (data: EventData['PdfMadeAgain']) => aggregate.execute({ type: 'endPdfAgain', data }, causedBy(asked, 'renderer'));
  try {
    const { pdf, pages } = await produce(dependencies, request.data, new Date(request.metadata.occurredAt));
    const isSame = createHash('sha256').update(pdf).digest('hex') === completed.pdf.sha256;
    if (!isSame) report(ids, 'a PDF made again has other bytes: the engine is another one by now');
    const { events } = await end(isSame ? { pdf: completed.pdf, keptUntil: new Date(log.now().getTime() + keptMs).toISOString() } : notKept);
    if (isSame && events.length > 0) await blobs.put(pdf).catch((error: unknown) => report({ ...ids, error: String(error) }, 'a PDF made again could not be kept'));
    answers.give(id, { status: 'DONE', pdf, pages, durationMs: completed.durations.totalMs });
  } catch (error) {
    // It comes again as long as anybody waits.
    if (error instanceof BlobMissing) throw error;
    span?.fail(error);
    const isFinal = error instanceof Problem && error.fault.name !== 'service_unavailable';
    const comesAgain = !isFinal && attempt < maxAttempts;
    report({ ...ids, attempt, error: String(error) }, 'a PDF could not be made again', comesAgain || error instanceof Problem ? 'warn' : 'error');
    if (comesAgain) return { kind: 'again', delayMs: 100 * attempt };
    await end(notKept);
    answers.give(id, { status: 'FAILED', fault: error instanceof Problem ? error.fault : failed });
  }
  return { kind: 'done' };
};
