import { z } from 'zod';
import { identifier, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';
import { blobRef, webhookTarget } from './render.ts';

/**
 * The outcome of an attempt. `responded` has the status and the first 1,000 characters of the response body; the others
 * have a reason.
 */
export const attemptOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('responded'), status: z.number().int(), responseBody: text(6002) }),
  z.object({ kind: z.enum(['timeout', 'blocked', 'failed']), reason: text(2000) }),
]);
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
    outcome: attemptOutcome,
    durationMs: z.number(),
    /** When the next attempt of the round starts; null if this is the last one. */
    nextAttemptAt: identifier().nullable(),
  }),
  WebhookDelivered: z.object({ round: z.number().int(), attempt: z.number().int() }),
  WebhookFailed: z.object({ round: z.number().int(), attempts: z.number().int(), lastError: text(2000) }),
  /** `target` is the new target; null if the target does not change. */
  RedeliveryRequested: z.object({ round: z.number().int(), target: webhookTarget.nullable() }),
  /** The sealed box with the URL and headers was erased because the delivery has ended. */
  WebhookTargetErased: z.object({ sha256: identifier() }),
} as const;

export type DeliveryEvent = EventsIn<typeof deliveryEvents>;
