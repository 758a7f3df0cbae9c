import { throttleBatches } from '#libs/event-store/throttle-batches.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { projectToEnd, openProjectionRunner, type ProjectionStore } from '#libs/projections/catch-up.ts';
import type { Projection } from '#libs/projections/projection.ts';
import { observeSubscription } from '#libs/telemetry/subscription-metrics.ts';

/** Between two batches there are at least `everyMs` milliseconds. Queries see an event that much later at most. */
export type ProjectorOptions = { intervalMs: number };

/** Follows the event log and keeps the read models, until `signal` aborts. */
export const runProjector = async (
  store: EventStore,
  reads: ProjectionStore,
  projections: readonly Projection[],
  { intervalMs }: ProjectorOptions,
  signal: AbortSignal,
): Promise<void> => {
  const projecting = await openProjectionRunner(reads, projections);
  let after = projecting.position();
  const paced: Pick<EventStore, 'subscribe' | 'readAll'> = {
    readAll: (from, limit) => store.readAll(from, limit),
    subscribe: (from, until) => throttleBatches(store.subscribe(from, until), until, intervalMs),
  };
  for await (const events of observeSubscription('projector', paced, after, signal)) {
    const last = events.at(-1)!;
    if (!(await projecting.advance(after, events, last))) await projectToEnd(store, projecting);
    after = last.position;
  }
};
