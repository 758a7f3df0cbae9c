import { z } from 'zod';
import { webhookMethods } from '../http/webhook.ts';
import { identifier, text } from './bounded.ts';
import { blobRef, webhookHeaders, webhookUrl } from './render.ts';

/** What came of one attempt. `answered` has the status and the first 1000 characters of the answer; the others say why there was none. */
export const attemptOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answered'), status: z.number().int(), answer: text(6002) }),
  z.object({ kind: z.enum(['timeout', 'refused', 'failed']), reason: text(2000) }),
]);
export type AttemptOutcome = z.output<typeof attemptOutcome>;

export const deliveryEvents = {
  DeliveryRequested: z.object({
    accountId: identifier(),
    url: webhookUrl,
    method: z.enum(webhookMethods),
    headers: webhookHeaders,
    /** The exact bytes that every attempt sends. */
    payload: blobRef,
  }),
  /** An attempt has begun. `attempt` counts from 1 in each round. */
  WebhookSent: z.object({ round: z.number().int(), attempt: z.number().int() }),
  WebhookAttempted: z.object({
    round: z.number().int(),
    attempt: z.number().int(),
    outcome: attemptOutcome,
    durationMs: z.number(),
    /** When the next attempt of the round begins; null where there is none. */
    nextAttemptAt: identifier().nullable(),
  }),
  WebhookDelivered: z.object({ round: z.number().int(), attempt: z.number().int() }),
  WebhookFailed: z.object({ round: z.number().int(), attempts: z.number().int(), lastError: text(2000) }),
  RedeliveryRequested: z.object({ round: z.number().int() }),
} as const;

export type DeliveryEvent = { [T in keyof typeof deliveryEvents]: { type: T; data: z.output<(typeof deliveryEvents)[T]> } }[keyof typeof deliveryEvents];
