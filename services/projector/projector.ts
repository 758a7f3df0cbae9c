import { gathered } from '#libs/event-store/gathered.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { type Batch, project, projectTogether } from '#libs/projections/project.ts';
import type { Projection } from '#libs/projections/projection.ts';
import type { ModelWriter } from '#libs/read-store/port.ts';
import type { CheckpointEvents } from '#libs/projections/checkpoint-event.ts';
import { followed } from '#libs/telemetry/followers.ts';

const projectOneByOne = async (store: EventStore, writer: ModelWriter, projections: readonly Projection[], batch: Batch): Promise<void> => {
  for (const projection of projections) {
    const done = await project(writer, projection, batch);
    if (!done) await catchUp(store, writer, [projection]);
  }
};

/**
 * From one step to the next there are `everyMs` milliseconds at least: queries see an event that much later at most, and by what its step takes. `noted` is told of the
 * last event of each step.
 */
export type Steps = { everyMs: number; noted?: Pick<CheckpointEvents, 'note'> };

/** Follows the log and keeps the read models, until `signal` aborts. */
export const runProjector = async (store: EventStore, writer: ModelWriter, projections: readonly Projection[], { everyMs, noted }: Steps, signal: AbortSignal): Promise<void> => {
  const checkpoints = await Promise.all(projections.map(({ model }) => writer.checkpoint(model)));
  let after = Math.min(...checkpoints);
  const patiently: Pick<EventStore, 'subscribe' | 'readAll'> = { readAll: (from, limit) => store.readAll(from, limit), subscribe: (from, until) => gathered(store.subscribe(from, until), until, everyMs) };
  for await (const events of followed('projector', patiently, after, signal)) {
    if (!(await projectTogether(writer, projections, { after, events }))) await projectOneByOne(store, writer, projections, { after, events });
    after = events.at(-1)!.position;
    noted?.note(events.at(-1)!);
  }
};
