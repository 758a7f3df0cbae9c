import { z } from 'zod';
import { webhookMethods } from '../http/webhook.ts';
import { blobRef } from './render.ts';

/** What came of one attempt. `answered` has the status and the first 1000 characters of the answer; the others say why there was none. */
export const attemptOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answered'), status: z.number().int(), answer: z.string() }),
  z.object({ kind: z.enum(['timeout', 'refused', 'failed']), reason: z.string() }),
]);
export type AttemptOutcome = z.output<typeof attemptOutcome>;

export const deliveryEvents = {
  DeliveryRequested: z.object({
    accountId: z.string(),
    url: z.string(),
    method: z.enum(webhookMethods),
    headers: z.record(z.string(), z.string()),
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
    nextAttemptAt: z.string().nullable(),
  }),
  WebhookDelivered: z.object({ round: z.number().int(), attempt: z.number().int() }),
  WebhookFailed: z.object({ round: z.number().int(), attempts: z.number().int(), lastError: z.string() }),
  RedeliveryRequested: z.object({ round: z.number().int() }),
} as const;

export type DeliveryEvent = { [T in keyof typeof deliveryEvents]: { type: T; data: z.output<(typeof deliveryEvents)[T]> } }[keyof typeof deliveryEvents];
