import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { ApiErrorFields } from '#contracts/http/api-error.ts';
import type { DoneCallback, FailedCallback } from '#contracts/http/callback.ts';
import { errors } from '#contracts/http/errors.ts';
import { jobIdOf, renderIdOf } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { thumbnailUrlOf } from '#libs/secrets/download-token.ts';
import { bytesToKb } from '#libs/sizes/sizes.ts';

const donePayload = (
  id: string,
  createdAt: string,
  event: RecordedEvent<EventOf<'RenderCompleted'>>,
  urlOf: (expiresAt: Date) => string,
): DoneCallback => {
  const { pages, pdf, contentType, thumbnail, durations, keptUntil } = event.data;
  const url = urlOf(new Date(keptUntil!));
  return {
    id: renderIdOf(id),
    status: 'DONE',
    job_id: jobIdOf(id),
    pdf_url: url,
    pdf_expires_at: keptUntil!,
    ...(contentType ? { content_type: contentType } : {}),
    ...(thumbnail ? { thumbnail_url: thumbnailUrlOf(url) } : {}),
    pages,
    file_size_kb: bytesToKb(pdf.size),
    duration_ms: durations.totalMs,
    created_at: createdAt,
    completed_at: event.metadata.occurredAt,
  };
};

/**
 * The fields of an error in callbacks and jobs: `details` are its own, else all of its fields; `line` is as in the error.
 * Absent if it has none.
 */
export const errorFieldsOf = ({ extra }: Pick<ApiErrorFields, 'extra'>): { details?: unknown; line?: number } => {
  const { details, ...more } = extra;
  const shown = details ?? (Object.keys(more).length > 0 ? more : undefined);
  return {
    ...(shown === undefined ? {} : { details: shown }),
    ...(typeof more['line'] === 'number' ? { line: more['line'] } : {}),
  };
};

const failedPayload = (
  id: string,
  createdAt: string,
  event: RecordedEvent<EventOf<'RenderFailed'>>,
): FailedCallback => {
  const { error } = event.data;
  return {
    id: renderIdOf(id),
    status: 'FAILED',
    job_id: jobIdOf(id),
    error: errors[error.name].error,
    message: error.message,
    details: null,
    ...errorFieldsOf(error),
    created_at: createdAt,
    failed_at: event.metadata.occurredAt,
  };
};

/**
 * The webhook body of an ended render; null if it has not ended. `urlOf` creates the download
 * URL.
 */
export const webhookPayload = (
  id: string,
  history: readonly RecordedEvent[],
  urlOf: (expiresAt: Date) => string,
): DoneCallback | FailedCallback | null => {
  const createdAt = history[0]!.metadata.occurredAt;
  const end = history.find((event) => event.type === 'RenderCompleted' || event.type === 'RenderFailed');
  if (!end) return null;
  return end.type === 'RenderCompleted' ? donePayload(id, createdAt, end, urlOf) : failedPayload(id, createdAt, end);
};
