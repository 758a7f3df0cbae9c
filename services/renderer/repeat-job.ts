import { createHash } from 'node:crypto';
import type { RenderEvent } from '#contracts/events/render.ts';
import { type Fault, Problem } from '#contracts/http/problem.ts';
import { idOfStream } from '#contracts/names.ts';
import { BlobMissing } from '#libs/blob-store/port.ts';
import type { WorkEnd } from '#libs/bus/work.ts';
import { maxAttempts } from '#libs/domain/render.ts';
import { causedBy } from '#libs/handling/caused-by.ts';
import { produce, type Requested } from '#libs/rendering/produce.ts';
import { idsOf } from '#libs/telemetry/ids.ts';
import { attributesOf } from '#libs/telemetry/renders.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import type { RendererParts } from './render-job.ts';

/** Longer than anybody waits for an answer. */
const awaitedMs = 10 * 60 * 1000;

type Completed = Extract<RenderEvent, { type: 'RenderCompleted' }>['data'];

const failed: Fault = { name: 'internal_error', message: 'The service failed to make the PDF again.', extra: {} };

/** Makes a finished render's PDF again for somebody who waits for it. The render's story is not touched: it has ended. */
export const repeatJob = async (parts: RendererParts, stream: string, attempt: number, span?: Span): Promise<WorkEnd> => {
  const { log, answers, report } = parts;
  const history = await log.store.read(stream);
  const completed = history.find(({ type }) => type === 'RenderCompleted')?.data as Completed | undefined;
  const asked = history.findLast(({ type }) => type === 'PdfRequestedAgain');
  // A relay that begins anew tells of every request there ever was: nobody waits for those any more.
  if (!completed || !asked || log.now().getTime() - Date.parse(asked.metadata.occurredAt) > awaitedMs) return { kind: 'done' };
  const id = idOfStream(stream);
  const requested = history[0]!.data as Requested;
  const ids = { render: id, ...idsOf(causedBy(asked, 'renderer')) };
  span?.note(attributesOf(id, attempt, requested));
  try {
    const { pdf, pages } = await produce(parts, requested, new Date(history[0]!.metadata.occurredAt));
    if (createHash('sha256').update(pdf).digest('hex') !== completed.pdf.sha256) report(ids, 'a PDF made again has other bytes: the engine is another one by now');
    answers.give(id, { status: 'DONE', pdf, pages, durationMs: completed.durations.totalMs });
  } catch (error) {
    // It comes again as long as anybody waits.
    if (error instanceof BlobMissing) throw error;
    span?.fail(error);
    const isFinal = error instanceof Problem && error.fault.name !== 'service_unavailable';
    const comesAgain = !isFinal && attempt < maxAttempts;
    report({ ...ids, attempt, error: String(error) }, 'a PDF could not be made again', comesAgain || error instanceof Problem ? 'warn' : 'error');
    if (comesAgain) return { kind: 'again', delayMs: 100 * attempt };
    answers.give(id, { status: 'FAILED', fault: error instanceof Problem ? error.fault : failed });
  }
  return { kind: 'done' };
};
