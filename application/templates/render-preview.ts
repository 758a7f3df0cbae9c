import { hash } from 'node:crypto';
import { previewError } from '#application/renders/final-errors.ts';
import type { RunRenderDependencies } from '#application/renders/end-render.ts';
import { renderPdf } from '#application/renders/render-pdf.ts';
import { renderWarnings } from '#contracts/events/render-warnings.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import type { PreviewMessage, PreviewTask } from './preview.ts';

/** Null if the blob is gone, because no caller waits any more. */
const readTask = async (blobs: Pick<BlobStore, 'get'>, { preview }: PreviewMessage): Promise<PreviewTask | null> => {
  if ('task' in preview) return JSON.parse(preview.task) as PreviewTask;
  try {
    return JSON.parse(Buffer.from(await blobs.get(preview.blob)).toString('utf8')) as PreviewTask;
  } catch (error) {
    if (error instanceof BlobNotFound) return null;
    throw error;
  }
};

/** The inputs of the task in place of the blob store. */
const inputsOf = (blobs: BlobStore, { inputs }: PreviewTask): BlobStore => {
  const bySha256 = new Map(inputs.map((text) => [hash('sha256', text, 'hex'), Buffer.from(text)]));
  return { ...blobs, get: async (sha256) => bySha256.get(sha256) ?? blobs.get(sha256) };
};

/** Renders a preview and sends it to the waiting caller. Appends nothing; a failed preview is not tried again. */
export const renderPreview = async (
  { blobs, preparation, printer, secrets, replies, eventLog, report }: RunRenderDependencies,
  message: PreviewMessage,
): Promise<MessageResult> => {
  const done: MessageResult = { kind: 'done' };
  const task = await readTask(blobs, message);
  if (!task || eventLog.now() > new Date(task.expiresAt)) return done;
  const startedAt = performance.now();
  try {
    const dependencies = { blobs: inputsOf(blobs, task), preparation, printer, secrets };
    const { pdf, pages, warnings } = await renderPdf(dependencies, task.requested, new Date(task.requestedAt));
    const durationMs = Math.round(performance.now() - startedAt);
    replies.send(task.id, { status: 'DONE', pdf, pages, durationMs, warnings: renderWarnings.parse(warnings) });
  } catch (error) {
    if (!(error instanceof ApiError)) report({ preview: task.id, error: String(error) }, 'template preview failed');
    const fields = error instanceof ApiError ? error.fields : previewError(error);
    replies.send(task.id, { status: 'FAILED', error: fields });
  }
  return done;
};
