import type { ReadStore } from '#libs/read-store/port.ts';
import type { Projection } from '../projection.ts';

/** Brings read models back to position 0 without documents. */
export const resetReadModels = async (
  reads: ReadStore,
  projections: readonly Pick<Projection, 'model'>[],
): Promise<void> => {
  for (const { model } of projections) {
    await reads.switchOver(model, { generation: await reads.beginRebuild(model), position: 0 }, 'behind');
  }
};
