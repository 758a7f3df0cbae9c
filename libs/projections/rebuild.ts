import type { EventStore } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { createBatchProjector } from './batch-projector.ts';
import type { Projection } from './projection.ts';

const batchSize = 500;

/**
 * Builds a read model from the event log anew as a shadow copy, and switches over to it once it is as far as what
 * serves. Queries are answered all the while, from the one or the other. `even` is that of `switchOver`. What was
 * replaced stays stored until `removeUnused`.
 * @throws RebuildSuperseded where another rebuild of the model begins meanwhile
 */
export const rebuildReadModel = async (
  store: Pick<EventStore, 'readAll'>,
  reads: ReadStore,
  projection: Projection,
  even?: 'behind',
): Promise<void> => {
  const { model } = projection;
  const generation = await reads.beginRebuild(model);
  try {
    const fold = createBatchProjector(reads);
    let position = 0;
    do {
      for (;;) {
        const events = await store.readAll(position, batchSize);
        if (events.length === 0) break;
        await reads.requireShadow(model, generation);
        await fold([{ projection, generation, position }], events);
        position = events.at(-1)!.position;
      }
    } while (!(await reads.switchOver(model, { generation, position }, even)));
  } catch (error) {
    await reads.abandonRebuild(model, generation);
    throw error;
  }
};
