import { runTogether } from '#libs/concurrency/run-together.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import { throttleBatches } from '#libs/event-store/throttle-batches.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { projectToEnd, openProjectionRunner } from '#libs/projections/catch-up.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { Projection } from '#libs/projections/projection.ts';
import { observeSubscription } from '#libs/telemetry/subscription-metrics.ts';
import { watchCheckpoints } from './checkpoint-watch.ts';

/**
 * Follows the event log and updates the read models until `signal` aborts. `intervalMs` is the minimum time between two
 * batches, in milliseconds: queries see an event at most this much later.
 */
export const runProjector = async (
  store: EventStore,
  reads: ReadStore,
  projections: readonly Projection[],
  intervalMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const runner = await openProjectionRunner(reads, projections);
  const follow = async (until: AbortSignal): Promise<void> => {
    let after = runner.position();
    const throttled: Pick<EventStore, 'subscribe' | 'readAll'> = {
      readAll: (from, limit) => store.readAll(from, limit),
      subscribe: (from, ended) => throttleBatches(store.subscribe(from, ended), ended, intervalMs),
    };
    for await (const events of observeSubscription('projector', throttled, after, until)) {
      const last = events.at(-1)!;
      if (!(await runner.advance(after, events, last))) await projectToEnd(store, runner, until);
      after = last.position;
    }
  };
  if (!isRemoteEngine(reads)) return follow(signal);
  const models = projections.map(({ model }) => model);
  await runTogether(signal, follow, (until) => watchCheckpoints(reads, models, runner.position, until));
};
