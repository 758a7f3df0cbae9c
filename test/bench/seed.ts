import type { RecordedEvent } from '#libs/event-store/port.ts';
import { openProjectionRunner } from '#libs/projections/catch-up.ts';
import type { Projection } from '#libs/projections/projection.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

// Writing a large event log takes hours. These events are created in memory and applied by the real projections, so that
// the documents are those of such a log.

export type SeedEvent = { stream: string; type: string; accountId: string; data: unknown; at?: string };

/** Events in the order given, at the positions after `after`. */
export const recordedEventsOf = (events: readonly SeedEvent[], after = 0): RecordedEvent[] =>
  events.map(
    ({ stream, type, accountId, data, at = new Date().toISOString() }, index) =>
      ({
        id: `seed-${after + index + 1}`,
        stream,
        revision: 0,
        position: after + index + 1,
        type,
        version: 1,
        data,
        metadata: {
          occurredAt: at,
          actor: { kind: 'service', name: 'bench' },
          accountId,
          correlationId: 'bench',
          causationId: null,
          traceparent: null,
        },
      }) as RecordedEvent,
  );

const batchSize = 5_000;

/** Applies events that follow the checkpoints to the read models. */
export const projectEvents = async (
  reads: ReadStore,
  projections: readonly Projection[],
  events: readonly RecordedEvent[],
): Promise<void> => {
  const projecting = await openProjectionRunner(reads, projections);
  for (let from = 0; from < events.length; from += batchSize) {
    const batch = events.slice(from, from + batchSize);
    await projecting.advance(batch[0]!.position - 1, batch);
  }
};
