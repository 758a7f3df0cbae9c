import { z } from 'zod';
import { identifier, text } from './bounded.ts';

export const actor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('key'), id: identifier() }),
  /** `id` is absent for the user of the machine who runs a command. */
  z.object({ kind: z.literal('person'), name: text(500), id: identifier().optional() }),
  z.object({ kind: z.literal('service'), name: text(500) }),
]);
export type Actor = z.output<typeof actor>;

/** The union of the events in a table of schemas. */
export type EventsIn<Schemas extends Record<string, z.ZodType>> = {
  [T in keyof Schemas]: { type: T; data: z.output<Schemas[T]> };
}[keyof Schemas];

/** The metadata of every event. `occurredAt` is ISO 8601 in UTC; `traceparent` is W3C Trace Context. */
export const metadata = z.object({
  occurredAt: identifier(),
  actor,
  accountId: identifier().nullable(),
  correlationId: text(500),
  causationId: identifier().nullable(),
  traceparent: identifier().nullable(),
});
export type Metadata = z.output<typeof metadata>;
