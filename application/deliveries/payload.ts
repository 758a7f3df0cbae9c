import type { EventOf } from '#contracts/events/event-schemas.ts';
import { errors } from '#contracts/http/errors.ts';
import { jobIdOf, renderIdOf } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { bytesToKb } from '#libs/sizes/sizes.ts';

const donePayload = (
  id: string,
  createdAt: string,
  event: RecordedEvent<EventOf<'RenderCompleted'>>,
  urlOf: (expiresAt: Date) => string,
) => {
  const { pages, pdf, durations, keptUntil } = event.data;
  return {
    id: renderIdOf(id),
    status: 'DONE',
    job_id: jobIdOf(id),
    pdf_url: urlOf(new Date(keptUntil!)),
    pdf_expires_at: keptUntil,
    pages,
    file_size_kb: bytesToKb(pdf.size),
    duration_ms: durations.totalMs,
    created_at: createdAt,
    completed_at: event.metadata.occurredAt,
  };
};

const failedPayload = (id: string, createdAt: string, event: RecordedEvent<EventOf<'RenderFailed'>>) => {
  const { error } = event.data;
  const { details, ...more } = error.extra;
  return {
    id: renderIdOf(id),
    status: 'FAILED',
    job_id: jobIdOf(id),
    error: errors[error.name].error,
    message: error.message,
    details: details ?? (Object.keys(more).length > 0 ? more : null),
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
): Record<string, unknown> | null => {
  const createdAt = history[0]!.metadata.occurredAt;
  const end = history.find((event) => event.type === 'RenderCompleted' || event.type === 'RenderFailed');
  if (!end) return null;
  return end.type === 'RenderCompleted' ? donePayload(id, createdAt, end, urlOf) : failedPayload(id, createdAt, end);
};
