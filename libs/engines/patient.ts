import { setTimeout as sleep } from 'node:timers/promises';
import { DiskRefusal } from '#libs/disk/refusal.ts';
import { isFailure, withOperations } from './engine-error.ts';
import { isRemote } from './guarded.ts';

/** In milliseconds: from the first pause to the longest, and how long nothing is given up. */
export type PatienceTimes = { firstMs: number; longestMs: number; altogetherMs: number };
const usualTimes: PatienceTimes = { firstMs: 50, longestMs: 2_000, altogetherMs: 15 * 60_000 };

/**
 * An engine as a worker in the middle of a job is to meet it: while it is away the job waits, and what was begun is finished when it is back. Every operation
 * of a store may be repeated: appends are known by their events, blobs by their hash. Once `signal` aborts the next failure counts. An engine that is no server is
 * waited for as long as its disk takes no more.
 */
export const patient = <E extends object>(engine: E, signal: AbortSignal, { firstMs, longestMs, altogetherMs }: PatienceTimes = usualTimes): E => {
  const isWaitedFor = (error: unknown, isTooLong: boolean): boolean => error instanceof DiskRefusal || (isRemote(engine) && isFailure(error) && !isTooLong);
  return withOperations(engine, (operation) => async (...given) => {
    const giveUpAt = performance.now() + altogetherMs;
    for (let pauseMs = firstMs; ; pauseMs = Math.min(2 * pauseMs, longestMs)) {
      try {
        return await operation(...given);
      } catch (error) {
        if (signal.aborted || !isWaitedFor(error, performance.now() > giveUpAt)) throw error;
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  });
};
