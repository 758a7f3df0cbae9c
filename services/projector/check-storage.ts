import { pause } from '#libs/concurrency/pause.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

const checkIntervalMs = 2_000;

/**
 * Checks until `signal` aborts that the stored read models are not behind `position`, up to which the caller has built
 * them. @throws Error if they are, because their storage was emptied or restored: then the caller must start again.
 */
export const requireStoredModels = async (
  reads: Pick<ReadStore, 'servingGenerations'>,
  models: readonly string[],
  position: () => number,
  signal: AbortSignal,
): Promise<void> => {
  try {
    for (; !signal.aborted; await pause(checkIntervalMs, signal)) {
      const built = position();
      if ((await reads.servingGenerations(models)).some((stored) => stored.position < built))
        throw new Error('the read models were emptied or restored, and are built again from the event log');
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
