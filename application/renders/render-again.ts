import type { RecordedEvent } from '#libs/event-store/port.ts';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { TaskFailed } from '#libs/documents/worker/task-failed.ts';
import { maxAttempts } from '#libs/domain/render.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import type { CompletedRender } from './completed-render.ts';
import type { RunRenderDependencies } from './end-render.ts';
import type { RenderedPdf, RenderPdfDependencies } from './render-pdf.ts';
import { renderRequested } from './render-requested.ts';
import { type FileRefs, refsOf } from './rendered-files.ts';

/**
 * `sha256` is the hash of the new PDF, and `thumbnail` its thumbnail; undefined without one. `isSame` and
 * `isSameThumbnail` say whether they have the recorded bytes.
 */
export type RenderedAgain = {
  rendered: RenderedPdf;
  sha256: string;
  thumbnail: FileRefs['thumbnail'];
  isSame: boolean;
  isSameThumbnail: boolean;
};

/** Renders the recorded request of a completed render again. @throws the errors of `renderPdf` */
export const renderAgain = async (
  dependencies: RenderPdfDependencies,
  { requested, requestedAt, completed }: CompletedRender,
): Promise<RenderedAgain> => {
  // The last attempt of a render may have been needed because its document crashes browsers.
  const isolated = completed.attempt === maxAttempts;
  const rendered = await renderRequested(dependencies, requested, requestedAt, { isolated });
  const { pdf, thumbnail } = await refsOf(rendered);
  return {
    rendered,
    sha256: pdf.sha256,
    thumbnail,
    isSame: pdf.sha256 === completed.pdf.sha256,
    isSameThumbnail: thumbnail?.sha256 === completed.thumbnail?.sha256,
  };
};

/** The offset of the first byte that differs; null if there is none. If one PDF begins with the other, its length. */
export const firstDifferenceOf = (one: Uint8Array, other: Uint8Array): number | null => {
  const length = Math.min(one.byteLength, other.byteLength);
  for (let index = 0; index < length; index += 1) if (one[index] !== other[index]) return index;
  return one.byteLength === other.byteLength ? null : length;
};

/** Longer than any caller waits for a response. */
const maxRequestAgeMs = 10 * 60 * 1000;

/** Whether callers may still wait. A restarted relay publishes all requests again, also the old ones. */
export const isAwaited = ({ metadata }: RecordedEvent, now: Date): boolean =>
  now.getTime() - Date.parse(metadata.occurredAt) <= maxRequestAgeMs;

/**
 * Reports why a document could not be rendered again. Returns when to try again, or else the error for the callers;
 * `message` is for them if the error is not one of the document.
 * @throws BlobNotFound, for a redelivery of the message while callers wait
 */
export const failureOf = (
  error: unknown,
  { report }: RunRenderDependencies,
  {
    attempt,
    span,
    fields,
    what,
    message,
  }: {
    attempt: number;
    span: Span | undefined;
    fields: object;
    what: string;
    message: string;
  },
): Extract<MessageResult, { kind: 'retry' }> | { kind: 'final'; error: ApiErrorFields } => {
  if (error instanceof BlobNotFound) throw error;
  span?.setError(error);
  const isOfDocument = error instanceof ApiError;
  const isFinal = isOfDocument ? error.fields.name !== 'service_unavailable' : error instanceof TaskFailed;
  const isRetried = !isFinal && attempt < maxAttempts;
  report({ ...fields, attempt, error: String(error) }, what, isRetried || isOfDocument ? 'warn' : 'error');
  if (isRetried) return { kind: 'retry', delayMs: 100 * attempt };
  return { kind: 'final', error: isOfDocument ? error.fields : { name: 'internal_error', message, extra: {} } };
};
