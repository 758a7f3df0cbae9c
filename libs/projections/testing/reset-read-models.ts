import type { ReadStore } from '#libs/read-store/port.ts';
import type { Projection } from '../projection.ts';

/** Empties read models and sets their position to 0. */
export const resetReadModels = async (
  reads: ReadStore,
  projections: readonly Pick<Projection, 'model'>[],
): Promise<void> => {
  for (const { model } of projections) {
    await reads.switchOver(model, { generation: await reads.beginRebuild(model), position: 0 }, 'behind');
  }
};
