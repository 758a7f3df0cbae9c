import { pause } from '#libs/concurrency/pause.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

const checkIntervalMs = 2_000;

/**
 * Checks every two seconds, until `signal` aborts, that no stored checkpoint of the read models is behind `position`, the
 * position to which the caller has built them. @throws Error if one is, because the storage was emptied or restored: then
 * the caller must start again from the stored checkpoints.
 */
export const watchCheckpoints = async (
  reads: Pick<ReadStore, 'servingGenerations'>,
  models: readonly string[],
  position: () => number,
  signal: AbortSignal,
): Promise<void> => {
  try {
    for (; !signal.aborted; await pause(checkIntervalMs, signal)) {
      const built = position();
      if ((await reads.servingGenerations(models)).some((stored) => stored.position < built))
        throw new Error('the read models were emptied or restored, and are rebuilt from the event log');
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
