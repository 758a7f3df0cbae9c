import { z } from 'zod';
import { maxHeaderLength, maxHeaders } from '../http/request-headers.ts';
import { ascii, entries, identifier, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';
import { blobRef } from './blob-ref.ts';
import { webhookTarget } from './webhook-target.ts';

/** What is recorded of the headers of a response. */
export const maxResponseHeaders = 30;
/** In characters. */
export const maxResponseHeaderLength = { name: 100, value: 300 } as const;

/** Names in lower case. A value that only the caller and the receiver may know is `***`. */
const responseHeaders = entries(
  ascii(maxResponseHeaderLength.name),
  text(2 * maxResponseHeaderLength.value + 2),
  maxResponseHeaders,
);

/** The headers of a request: at most those of the caller, and those of the service. `***` replaces secret values. */
const requestHeaders = entries(ascii(maxHeaderLength.name), ascii(100), maxHeaders + 10);

/**
 * The outcome of an attempt. `responded` has the status, the headers, and the first 2 KB of the response body as text; the
 * others have a reason.
 */
export const attemptOutcome = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('responded'),
    status: z.number().int(),
    headers: responseHeaders,
    responseBody: text(12_290),
  }),
  z.object({ kind: z.enum(['timeout', 'blocked', 'failed']), reason: text(2000) }),
]);
/** What was sent beside the payload, to the target of the round. */
export const attemptRequest = z.object({ headers: requestHeaders });
export type AttemptRequest = z.output<typeof attemptRequest>;
export type AttemptOutcome = z.output<typeof attemptOutcome>;

export const deliveryEvents = {
  DeliveryRequested: z.object({
    accountId: identifier(),
    ...webhookTarget.shape,
    /** The bytes that every attempt sends. */
    payload: blobRef,
  }),
  /** `attempt` counts from 1 in each round. */
  WebhookAttemptStarted: z.object({ round: z.number().int(), attempt: z.number().int() }),
  WebhookAttempted: z.object({
    round: z.number().int(),
    attempt: z.number().int(),
    /** Null if nothing could be sent. */
    request: attemptRequest.nullable(),
    outcome: attemptOutcome,
    /** Host and path of the masked URL. */
    endpoint: text(2500).optional(),
    durationMs: z.number(),
    /** When the next attempt of the round starts; null if this is the last one. */
    nextAttemptAt: identifier().nullable(),
  }),
  WebhookDelivered: z.object({ round: z.number().int(), attempt: z.number().int() }),
  WebhookFailed: z.object({ round: z.number().int(), attempts: z.number().int(), lastError: text(2000) }),
  /**
   * `target` is the new target; null if the target does not change. `startsAt` is the time of the first attempt; null if it
   * starts at once.
   */
  RedeliveryRequested: z.object({
    round: z.number().int(),
    target: webhookTarget.nullable(),
    startsAt: identifier().nullable(),
  }),
  /** The sealed box with the URL and headers was erased because the delivery has ended. */
  WebhookTargetErased: z.object({ sha256: identifier() }),
} as const;

export type DeliveryEvent = EventsIn<typeof deliveryEvents>;
