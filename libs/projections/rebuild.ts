import type { EventStore } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { createBatchProjector } from './batch-projector.ts';
import type { Projection } from './projection.ts';

const batchSize = 500;

/**
 * Builds a shadow copy of a read model from the event log, and switches over to it once it has reached the position of
 * the serving generation. Queries work the whole time. `allow` is that of `switchOver`. The replaced generation stays
 * stored until `dropUnusedGenerations`.
 * @throws RebuildSuperseded if another rebuild of the model starts in between
 */
export const rebuildReadModel = async (
  store: Pick<EventStore, 'readAll'>,
  reads: ReadStore,
  projection: Projection,
  allow?: 'behind',
): Promise<void> => {
  const { model } = projection;
  const generation = await reads.beginRebuild(model);
  try {
    const project = createBatchProjector(reads);
    let position = 0;
    do {
      for (;;) {
        const events = await store.readAll(position, batchSize);
        if (events.length === 0) break;
        await reads.requireShadow(model, generation);
        await project([{ projection, generation, position }], events);
        position = events.at(-1)!.position;
      }
    } while (!(await reads.switchOver(model, { generation, position }, allow)));
  } catch (error) {
    await reads.abandonRebuild(model, generation);
    throw error;
  }
};
