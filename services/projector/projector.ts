import { gathered } from '#libs/event-store/gathered.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { continueToEnd, openProjecting, type ProjectedStore } from '#libs/projections/catch-up.ts';
import type { Projection } from '#libs/projections/projection.ts';
import { followed } from '#libs/telemetry/followers.ts';

/** Between two batches there are at least `everyMs` milliseconds. Queries see an event that much later at most. */
export type Pace = { everyMs: number };

/** Follows the event log and keeps the read models, until `signal` aborts. */
export const runProjector = async (
  store: EventStore,
  reads: ProjectedStore,
  projections: readonly Projection[],
  { everyMs }: Pace,
  signal: AbortSignal,
): Promise<void> => {
  const projecting = await openProjecting(reads, projections);
  let after = projecting.position();
  const paced: Pick<EventStore, 'subscribe' | 'readAll'> = {
    readAll: (from, limit) => store.readAll(from, limit),
    subscribe: (from, until) => gathered(store.subscribe(from, until), until, everyMs),
  };
  for await (const events of followed('projector', paced, after, signal)) {
    const last = events.at(-1)!;
    if (!(await projecting.advance(after, events, last))) await continueToEnd(store, projecting);
    after = last.position;
  }
};
