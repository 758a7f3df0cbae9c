import { z } from 'zod';
import { identifier } from './bounded.ts';
import type { EventsIn } from './metadata.ts';

export const idempotencyEvents = {
  /**
   * A request with this Idempotency-Key is in progress or has ended. `id` is the id of its render or template.
   * `bodyMac` is an HMAC of the SHA-256 of its body, followed by its query if it has one.
   */
  IdempotencyKeyClaimed: z.object({
    accountId: identifier(),
    operation: identifier(),
    bodyMac: identifier(),
    id: identifier(),
  }),
  /** The request was rejected without any effect; the key is free again. */
  IdempotencyKeyReleased: z.object({ id: identifier() }),
} as const;

export type IdempotencyEvent = EventsIn<typeof idempotencyEvents>;
