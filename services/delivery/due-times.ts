import { LRUCache } from 'lru-cache';

/** When this process makes attempts, by a clock that is never set: the recorded times are those of a clock that may be. */
export type DueTimes = {
  /** How many milliseconds an attempt is still to wait. `atFirstMs` is what it waits from the moment in which this process first asks. */
  leftMs(attempt: string, atFirstMs: number): number;
};

/** One that is forgotten waits as if it were asked for the first time. */
const mostKept = 20_000;

/** `clock` tells milliseconds. */
export const openDueTimes = (clock = (): number => performance.now()): DueTimes => {
  const dueAt = new LRUCache<string, number>({ max: mostKept });
  return {
    leftMs: (attempt, atFirstMs) => {
      const due = dueAt.get(attempt) ?? clock() + atFirstMs;
      if (atFirstMs > 0) dueAt.set(attempt, due);
      // Timers may be early by a part of a millisecond.
      return Math.max(0, Math.floor(due - clock()));
    },
  };
};
