import { z } from 'zod';
import { identifier } from './bounded.ts';
import type { EventsIn } from './metadata.ts';

export const idempotencyEvents = {
  /** A request with this Idempotency-Key is under way, or was answered; `id` is that of the render or template that it makes. */
  IdempotencyKeyClaimed: z.object({
    accountId: identifier(),
    operation: identifier(),
    bodySha256: identifier(),
    id: identifier(),
  }),
  /** The request was refused before it had any effect: the key is free again. */
  IdempotencyKeyReleased: z.object({ id: identifier() }),
} as const;

export type IdempotencyEvent = EventsIn<typeof idempotencyEvents>;
