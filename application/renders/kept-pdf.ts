import type { EventData } from '#contracts/events/event-schemas.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import { fileNameFor, type OutputContentType, pdfContentType } from '#contracts/http/output.ts';
import { defaultFileNameOf, idOfStream } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { type RenderState, render } from '#libs/domain/render.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { pdfRetention } from '#application/accounts/render-settings.ts';
import { eventsOfDecider } from '#application/command-handling/history.ts';
import { fold } from '#libs/domain/decider.ts';
import { isRecent } from '#libs/time/is-recent.ts';

/** Whether the request asks for a PDF that is stored for a later download. */
export const isPdfKept = ({
  responseMode,
  options,
}: Pick<EventData['RenderRequested'], 'responseMode' | 'options'>): boolean =>
  responseMode.kind !== 'wait' || options.keep_pdf === true;

type Retention = Pick<EventData['RenderRequested'], 'pdfRetentionMinutes'>;

/** How long the PDF of a render is stored, in milliseconds. */
export const pdfLifetimeMs = ({ pdfRetentionMinutes = pdfRetention.defaultMinutes }: Retention): number =>
  pdfRetentionMinutes * 60 * 1000;

const maxSecondPdfLifetimeMs = 60 * 60 * 1000;

/**
 * When the PDF of a second rendering is erased (ISO 8601). A PDF that only it keeps is stored for at most an hour, because it
 * is for the caller who waits, and never longer than the first one. A PDF that was lost is stored again for the rest of
 * its time.
 */
export const secondPdfKeptUntil = (requested: Retention, history: readonly RecordedEvent[], now: Date): string => {
  const lifetimeMs = Math.min(pdfLifetimeMs(requested), maxSecondPdfLifetimeMs);
  const until = new Date(now.getTime() + lifetimeMs).toISOString();
  const recorded = keptPdfOf(history, now);
  return recorded.kind === 'kept' && recorded.keptUntil > until ? recorded.keptUntil : until;
};

/**
 * `size` is in bytes, `keptUntil` ISO 8601; `thumbnail` names the blob of the thumbnail. `second` is set if a second
 * rendering stores the PDF: it may not have stored it yet, and it stores the thumbnail only with the recorded bytes.
 */
export type StoredPdf = {
  sha256: string;
  size: number;
  keptUntil: string;
  contentType: OutputContentType;
  fileName: string;
  thumbnail?: BlobRef;
  second?: 'being stored' | 'stored';
};

/**
 * A stored PDF, or the images that the request asked for, with media type, file name and the hash of the thumbnail, if
 * there is one; or why there is none: its time is over, it was never stored, or the render has no PDF.
 */
export type KeptPdf =
  | ({ kind: 'kept' } & StoredPdf)
  | { kind: 'expired' }
  | { kind: 'neverKept' }
  | { kind: 'notDone'; status: Exclude<RenderState['status'], 'DONE'> };

const wasKept = (event: RecordedEvent): boolean =>
  (event.type === 'RenderCompleted' || event.type === 'PdfRegenerationEnded' || event.type === 'RenderVerified') &&
  event.data.keptUntil !== null;

const fileFieldsOf = (history: readonly RecordedEvent[]) => {
  const request = history.find((event) => event.type === 'RenderRequested')!;
  const completed = history.find((event) => event.type === 'RenderCompleted')!.data;
  const { pdf, contentType = pdfContentType, thumbnail } = completed;
  const name = request.data.fileName ?? defaultFileNameOf(idOfStream(request.stream));
  return {
    size: pdf.size,
    contentType,
    fileName: fileNameFor(name, contentType),
    ...(thumbnail ? { thumbnail } : {}),
  };
};

/** The stored PDF of a render with this history. A regenerated PDF is stored, too. */
export const keptPdfOf = (history: readonly RecordedEvent[], now: Date): KeptPdf => {
  const state = fold(render, eventsOfDecider(render, history));
  if (state.status !== 'DONE') return { kind: 'notDone', status: state.status };
  if (state.pdf !== null && now < new Date(state.pdf.keptUntil))
    return { kind: 'kept', ...state.pdf, ...fileFieldsOf(history) };
  return { kind: history.some(wasKept) ? 'expired' : 'neverKept' };
};

/** A renderer stores the PDF of a second rendering after its event; the PDF is missing until then. */
const maxStoringMs = 60_000;

/**
 * The same, and whether the blob store has the PDF of a second rendering: its event comes first, so that no PDF is stored
 * without one, and then the renderer may fail to store it. Such a PDF counts as expired, so that it is made again.
 */
export const findKeptPdf = async (
  blobs: Pick<BlobStore, 'has'>,
  history: readonly RecordedEvent[],
  now: Date,
): Promise<KeptPdf> => {
  const kept = keptPdfOf(history, now);
  if (kept.kind !== 'kept') return kept;
  const { type, metadata } = history.findLast(wasKept)!;
  if (type === 'RenderCompleted') return kept;
  if (isRecent(metadata.occurredAt, now, maxStoringMs)) return { ...kept, second: 'being stored' };
  // It was lost before. Whoever keeps it for the time of the first one must hear of another loss.
  if (kept.keptUntil === history.find((event) => event.type === 'RenderCompleted')!.data.keptUntil) return kept;
  return (await blobs.has(kept.sha256)) ? { ...kept, second: 'stored' } : { kind: 'expired' };
};
