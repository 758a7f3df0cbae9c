import type { EventStore } from '#libs/event-store/port.ts';
import type { ModelWriter } from '#libs/read-store/port.ts';
import { project } from './project.ts';
import type { Projection } from './projection.ts';

const batchSize = 500;

/** Brings read models to the end of the log as it is now. */
export const catchUp = async (store: EventStore, writer: ModelWriter, projections: readonly Projection[]): Promise<void> => {
  for (const projection of projections) {
    for (;;) {
      const after = await writer.checkpoint(projection.model);
      const events = await store.readAll(after, batchSize);
      if (events.length === 0) break;
      await project(writer, projection, { after, events });
    }
  }
};
