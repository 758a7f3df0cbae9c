import { z } from 'zod';

export const actor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('key'), id: z.string() }),
  z.object({ kind: z.literal('person'), name: z.string() }),
  z.object({ kind: z.literal('service'), name: z.string() }),
]);
export type Actor = z.output<typeof actor>;

/** What every event carries beside its data. `occurredAt` is ISO 8601 in UTC; `traceparent` is W3C Trace Context. */
export const metadata = z.object({
  occurredAt: z.string(),
  actor,
  accountId: z.string().nullable(),
  correlationId: z.string(),
  causationId: z.string().nullable(),
  traceparent: z.string().nullable(),
});
export type Metadata = z.output<typeof metadata>;
