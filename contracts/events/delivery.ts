import { z } from 'zod';
import { identifier, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';
import { blobRef, webhookTarget } from './render.ts';

/** What came of one attempt. `responded` has the status and the first 1000 characters of the answer; the others say why there was none. */
export const attemptOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('responded'), status: z.number().int(), responseBody: text(6002) }),
  z.object({ kind: z.enum(['timeout', 'blocked', 'failed']), reason: text(2000) }),
]);
export type AttemptOutcome = z.output<typeof attemptOutcome>;

export const deliveryEvents = {
  DeliveryRequested: z.object({
    accountId: identifier(),
    ...webhookTarget.shape,
    /** The exact bytes that every attempt sends. */
    payload: blobRef,
  }),
  /** An attempt has begun. `attempt` counts from 1 in each round. */
  WebhookAttemptStarted: z.object({ round: z.number().int(), attempt: z.number().int() }),
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
  /** `target` is where the callback goes from now on; null where it goes to the same place. */
  RedeliveryRequested: z.object({ round: z.number().int(), target: webhookTarget.nullable() }),
  /** The sealed box of the callback's address and headers was erased, after the delivery had ended. */
  WebhookTargetErased: z.object({ sha256: identifier() }),
} as const;

export type DeliveryEvent = EventsIn<typeof deliveryEvents>;
