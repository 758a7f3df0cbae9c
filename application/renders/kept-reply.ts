import type { BlobStore } from '#libs/blob-store/port.ts';
import { readIfStored } from '#libs/blob-store/read-if-stored.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { RenderReply } from '#libs/replies/port.ts';
import { type CompletedRender, completedRenderOf } from './completed-render.ts';
import { findKeptPdf, isPdfKept } from './kept-pdf.ts';
import type { RenderedFiles } from './rendered-files.ts';

/** The reply with the files of a completed render. `keptUntil` (ISO 8601) is null if they are not stored. */
export const completedReply = (
  { requested, completed: { contentType, durations, warnings } }: CompletedRender,
  { pdf, thumbnail }: RenderedFiles,
  { pages, keptUntil }: { pages: number; keptUntil: string | null },
): RenderReply => ({
  status: 'DONE',
  pdf,
  ...(contentType ? { contentType } : {}),
  ...(thumbnail ? { thumbnail } : {}),
  pages,
  durationMs: durations.totalMs,
  warnings,
  ...(keptUntil !== null && isPdfKept(requested) ? { keptUntil } : {}),
});

/** The reply of a completed render whose files are still stored; null if they are not. */
export const readKeptReply = async (
  blobs: BlobStore,
  history: readonly RecordedEvent[],
  now: Date,
): Promise<RenderReply | null> => {
  const kept = await findKeptPdf(blobs, history, now);
  if (kept.kind !== 'kept') return null;
  const { sha256, thumbnail, keptUntil } = kept;
  const [pdf, image] = await Promise.all([
    readIfStored(blobs, sha256),
    thumbnail && readIfStored(blobs, thumbnail.sha256),
  ]);
  // A thumbnail that was asked for belongs to the reply.
  if (pdf === null || image === null) return null;
  const recorded = completedRenderOf(history)!;
  const { pages } = recorded.completed;
  return completedReply(recorded, { pdf, ...(image ? { thumbnail: image } : {}) }, { pages, keptUntil });
};
