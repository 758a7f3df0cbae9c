import { z } from 'zod';
import { attemptOutcome, attemptRequest } from './delivery.ts';
import { identifier } from './bounded.ts';
import type { EventsIn } from './metadata.ts';
import { webhookTarget } from './webhook-target.ts';

export const webhookTestEvents = {
  /** A sample callback was sent to an address that an actor of the account typed in. `request` has its headers. */
  WebhookTested: z.object({
    accountId: identifier(),
    ...webhookTarget.omit({ sealed: true, headers: true }).shape,
    request: attemptRequest,
    outcome: attemptOutcome,
    durationMs: z.number(),
  }),
} as const;

export type WebhookTestEvent = EventsIn<typeof webhookTestEvents>;
