import { z } from 'zod';
import { instant } from './instant.ts';
import { listCursor, listQuery, webhookStatuses } from './jobs.ts';
import { maxWebhookUrlLength, webhookFields, webhookMethods } from './webhook.ts';

const timestamp = z.string().describe('ISO 8601, UTC.');
const maskedUrl = z
  .string()
  .nullable()
  .describe('The callback URL, with `***` in place of possible credentials. Null for a moment at the end of a render.');

const fullUrl = z.string().max(maxWebhookUrlLength);

export const listDeliveriesQuery = z.strictObject({
  ...listQuery,
  since: listQuery.since.describe('Callbacks of jobs created at or after this ISO 8601 time.'),
  until: listQuery.until.describe('Callbacks of jobs created before this ISO 8601 time.'),
  cursor: listCursor('job'),
  status: z.enum(webhookStatuses).optional(),
  host: z.string().max(260).optional().describe('Host of the receiver, with the port if it is not 443.'),
  url: fullUrl.optional().describe('URL of the receiver, as `url` shows it.'),
});
export type ListDeliveriesQuery = z.output<typeof listDeliveriesQuery>;

const deliveryFields = {
  job_id: z.string().describe('job_<id>'),
  id: z.string().describe('render_<id>'),
  webhook_id: z.string().describe('The header `webhook-id` of every attempt.'),
  status: z
    .enum(webhookStatuses)
    .describe(
      '`pending`: the next attempt starts at once or at `next_attempt_at`. `sent`: an attempt is under way. `timeout`: ' +
        'the last attempt timed out, and another follows. `delivered` and `failed` are final.',
    ),
  url: maskedUrl,
  host: z.string().nullable(),
  method: z.enum(webhookMethods).nullable(),
  attempts: z.number().int().describe('Of all rounds.'),
  round: z.number().int().describe('Counts from 1. Each redelivery starts another round of up to three attempts.'),
  last_attempt_at: timestamp.nullable(),
  last_response_status: z.number().int().nullable().describe('Null if the last attempt had no response.'),
  last_error: z.string().nullable(),
  next_attempt_at: timestamp.nullable(),
  created_at: z.string().describe('When the job was created. ISO 8601, UTC.'),
  requested_at: z.string().describe('When the present round was requested. ISO 8601, UTC.'),
  delivered_at: timestamp.nullable(),
  failed_at: timestamp.nullable(),
};

const deliverySummary = z.object(deliveryFields);
export type DeliverySummary = z.output<typeof deliverySummary>;

export const deliveryListResponse = z.object({
  deliveries: z.array(deliverySummary),
  next_cursor: z.string().nullable().describe('Null on the last page.'),
});

const headers = z.record(z.string(), z.string()).describe('Names in lower case. `***` replaces secret values.');
const requestFields = { method: z.enum(webhookMethods), url: z.string(), headers };
const attemptResponse = z.object({
  status: z.number().int(),
  headers: headers.describe('The first 30 headers, truncated. `***` replaces secret values.'),
  body: z.string().describe('The first 2 KB as text. Headers and URL of the caller, and signatures, are masked in it.'),
});
const attemptError = z.object({
  kind: z.enum(['timeout', 'blocked', 'failed']),
  message: z.string(),
});

const deliveryAttempt = z.object({
  attempt: z
    .number()
    .int()
    .describe('Counts from 1 in each round. An attempt that was interrupted and repeated is there twice.'),
  started_at: timestamp,
  duration_ms: z.number().nullable().describe('Null while the attempt is under way, or if it was interrupted.'),
  request: z
    .object(requestFields)
    .nullable()
    .describe('Null while the attempt is under way, if it was interrupted, or if nothing was sent.'),
  response: attemptResponse.nullable().describe('Null if there was none.'),
  error: attemptError.nullable().describe('Why there was no response.'),
  next_attempt_at: timestamp.nullable(),
});

const deliveryRound = z.object({
  round: z.number().int(),
  requested_at: timestamp,
  actor: z
    .object({ kind: z.string() })
    .loose()
    .describe('Who asked for it: the service at the end of the render, later a key or a person.'),
  attempts: z.array(deliveryAttempt).describe('The oldest first.'),
});
export type DeliveryRound = z.output<typeof deliveryRound>;

/** 200 of GET /deliveries/{job_id}. */
export const deliveryResponse = z.object({
  ...deliveryFields,
  body: z.string().nullable().describe('The body, exactly as every attempt sends it. Null if it is lost.'),
  missing_fields: z
    .array(z.enum(['webhook_url', 'webhook_headers']))
    .describe('What POST /jobs/{job_id}/redeliver needs in its body, because it is erased at the end of a delivery.'),
  rounds: z.array(deliveryRound).describe('The newest first, at most 20.'),
  omitted_rounds: z.number().int().describe('The number of older rounds.'),
});
export type DeliveryResponse = z.output<typeof deliveryResponse>;

export const maxRedeliveriesPerCall = 200;

export const redeliverDeliveriesRequest = z.strictObject({
  failed_since: instant.describe('Callbacks that failed at or after this ISO 8601 time.'),
  until: instant
    .optional()
    .describe(
      'Callbacks that failed before this ISO 8601 time. Default: now. Repeat a call with the `until` of its response, ' +
        'so that callbacks that fail again are not sent again.',
    ),
  url: fullUrl.optional().describe('Only callbacks to this URL, as `url` of a delivery shows it.'),
  dry_run: z.boolean().optional().describe('Counts the callbacks and sends nothing.'),
});

export const redeliverDeliveriesResponse = z.object({
  matching: z
    .number()
    .int()
    .describe(
      'How many failed callbacks match and can be sent again: before this call; 1001 stands for more than 1,000.',
    ),
  redelivered: z.number().int(),
  job_ids: z.array(z.string()).describe(`The jobs whose callbacks are sent again, at most ${maxRedeliveriesPerCall}.`),
  erased_job_ids: z
    .array(z.string())
    .describe('Jobs, at most 200, whose callbacks cannot be sent without a body, because their secrets are erased.'),
  until: timestamp,
  has_more: z.boolean().describe('Whether callbacks are left. Send the same request again, with `until`.'),
});
export type RedeliverDeliveriesResponse = z.output<typeof redeliverDeliveriesResponse>;

export const testWebhookRequest = z.strictObject({
  url: webhookFields.webhook_url.unwrap(),
  method: webhookFields.webhook_method,
  headers: webhookFields.webhook_headers,
});

export const testWebhookResponse = z.object({
  id: z.string().describe('The header `webhook-id`. The audit history of the account has it, too.'),
  started_at: timestamp,
  duration_ms: z.number(),
  request: z
    .object({ ...requestFields, body: z.string() })
    .describe('What was sent, with its signatures. Headers of the request are shown as `***`.'),
  response: attemptResponse.nullable(),
  error: attemptError.nullable(),
  delivered: z.boolean().describe('Whether this response would end a delivery: its status is from 200 to 299.'),
});
export type TestWebhookResponse = z.output<typeof testWebhookResponse>;
