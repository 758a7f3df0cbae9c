import { createHmac } from 'node:crypto';
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
 * The webhook body of an ended render (section 6 of the API); null if it has not ended. `urlOf` creates the download
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

const standardWebhooksKey = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');

const standardWebhooksSignature = (secret: string, signed: Buffer): string =>
  `v1,${createHmac('sha256', standardWebhooksKey(secret)).update(signed).digest('base64')}`;

/**
 * The signature headers of a webhook. `X-Service-Signature` is the hex HMAC-SHA-256 of the body with the current secret
 * as key. The others follow Standard Webhooks 1.0, with one signature per valid secret.
 */
export const signatureHeaders = (
  id: string,
  body: Uint8Array,
  secrets: readonly [string, ...string[]],
  now: Date,
): Record<string, string> => {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return {
    'x-service-signature': createHmac('sha256', secrets[0]).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => standardWebhooksSignature(secret, signed)).join(' '),
  };
};
