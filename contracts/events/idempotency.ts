import { z } from 'zod';

export const idempotencyEvents = {
  /** A request with this Idempotency-Key is under way, or was answered; `id` is that of the render or template that it makes. */
  IdempotencyKeyClaimed: z.object({ accountId: z.string(), operation: z.string(), bodySha256: z.string(), id: z.string() }),
  /** The request was refused before it had any effect: the key is free again. */
  IdempotencyKeyReleased: z.object({ id: z.string() }),
} as const;

export type IdempotencyEvent = { [T in keyof typeof idempotencyEvents]: { type: T; data: z.output<(typeof idempotencyEvents)[T]> } }[keyof typeof idempotencyEvents];
