import { pause } from '#libs/concurrency/pause.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { Projection } from '#libs/projections/projection.ts';
import { rebuildReadModel } from '#libs/projections/rebuild.ts';
import { type ReadStore, RebuildSuperseded } from '#libs/read-store/port.ts';

const checkIntervalMs = 2_000;

/** Rebuilds the read models that lack a collection or an index. Queries of older releases work meanwhile. */
const rebuildIncomplete = async (
  store: Pick<EventStore, 'readAll'>,
  reads: ReadStore,
  projections: readonly Projection[],
  signal: AbortSignal,
): Promise<void> => {
  const incomplete = new Set(await reads.incompleteModels(projections.map(({ model }) => model)));
  if (incomplete.size === 0) return;
  const abortable: Pick<EventStore, 'readAll'> = {
    readAll: async (after, limit) => {
      signal.throwIfAborted();
      return store.readAll(after, limit);
    },
  };
  for (const projection of projections.filter(({ model }) => incomplete.has(model)))
    await rebuildReadModel(abortable, reads, projection).catch((error: unknown) => {
      // Another rebuild of the model runs.
      if (!(error instanceof RebuildSuperseded)) throw error;
    });
  await reads.dropUnusedGenerations();
};

/**
 * Checks until `signal` aborts that the stored read models are complete, and rebuilds those that are not. `position` is
 * the position up to which the caller has built them. @throws Error if their storage is behind it: then the caller must
 * start again.
 */
export const repairReadModels = async (
  store: Pick<EventStore, 'readAll'>,
  reads: ReadStore,
  projections: readonly Projection[],
  position: () => number,
  signal: AbortSignal,
): Promise<void> => {
  const models = projections.map(({ model }) => model);
  try {
    for (; !signal.aborted; await pause(checkIntervalMs, signal)) {
      const built = position();
      const serving = await reads.servingGenerations(models);
      if (serving.some((stored) => stored.position < built))
        throw new Error('the read models were emptied or restored, and are built again from the event log');
      await rebuildIncomplete(store, reads, projections, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
