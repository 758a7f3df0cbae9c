import type { ReadStore } from '#libs/read-store/port.ts';

/** Empties a read model and sets its position to 0. */
export const emptyReadModel = async (reads: ReadStore, model: string): Promise<void> => {
  await reads.switchOver(model, { generation: await reads.beginRebuild(model), position: 0 }, 'behind');
};
