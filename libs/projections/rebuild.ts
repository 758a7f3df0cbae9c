import type { EventStore } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { catchUp } from './catch-up.ts';
import { collectionsOf, type Projection } from './projection.ts';

/**
 * Builds a read model from the log anew, beside the one that serves, and lets it take that one's place once it is as far.
 * Queries are answered all the while, by the one or the other. @throws RebuildSuperseded
 */
export const rebuildModel = async (store: EventStore, reads: ReadStore, projection: Projection): Promise<void> => {
  const rebuild = await reads.rebuild(projection.model, collectionsOf(projection).map(({ name }) => name));
  try {
    do await catchUp(store, rebuild.copy, [projection]);
    while (!(await rebuild.switchOver()));
  } catch (error) {
    await rebuild.abandon();
    throw error;
  }
};
