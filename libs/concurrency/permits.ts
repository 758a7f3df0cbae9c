import { createCountsByKey } from './counts-by-key.ts';

export type PermitLimits = {
  /**
   * How many tasks may run at once that have run for less than `slowAfterMs`. Twice as many if the others are the first
   * ones of their groups.
   */
  maxQuick: number;
  /** How many tasks may run at once in all. If it is more than `maxQuick`, slow tasks do not count as quick ones. */
  maxTotal: number;
  /** A task that has run for this time counts as slow: it mostly waits for something. */
  slowAfterMs: number;
  /** How many tasks of one group may run at once; `maxTotal` by default. */
  maxPerGroup?: number;
};

/** Counts running tasks, and says which may start. */
export type Permits = {
  /** Acquires a permit for a task of the group. Call the result to release it. */
  acquire(group: string): () => void;
  /** Whether a permit is free for any group. */
  isAvailable(): boolean;
  canAcquire(group: string): boolean;
  /**
   * The milliseconds until the next task becomes slow, and null when none will. It is 0 for a task that became slow since
   * `isAvailable` was last called. With null, a caller that was refused just before would wait for the end of a task.
   */
  msUntilNextSlow(): number | null;
  running(): number;
};

/** In milliseconds. */
export const defaultSlowAfterMs = 500;

/**
 * Whether a group that holds `held` permits has its share while `free` are free. A share is half of what is free, rounded
 * up (dynamic thresholds, Choudhury and Hahne 1998), so that a few groups leave permits for others. A group without a
 * permit has no full share while one is free.
 */
export const hasFullShare = (held: number, free: number): boolean => held * 2 >= free;

/**
 * Shares permits between groups by `hasFullShare`, so that a few groups cannot hold them all for long. A later group then
 * finds a permit, even when the tasks of earlier groups are slow. The first task of a group does not wait until those of others
 * are slow, either: with tasks that end just before, one group would have a turn of half a second for each turn of a
 * few milliseconds of another. `now` is in milliseconds.
 */
export const createPermits = (
  { maxQuick, maxTotal, slowAfterMs, maxPerGroup = maxTotal }: PermitLimits,
  now: () => number = () => performance.now(),
): Permits => {
  /** The start times of quick tasks, the oldest first. */
  const quick = new Map<symbol, number>();
  const held = createCountsByKey();

  const forgetSlow = (): void => {
    if (maxTotal <= maxQuick) return;
    for (const [task, startedAt] of quick) {
      if (now() - startedAt < slowAfterMs) return;
      quick.delete(task);
    }
  };
  const isFull = (group: string): boolean => {
    const count = held.of(group);
    return count >= maxPerGroup || (maxTotal > maxQuick && hasFullShare(count, maxTotal - held.total()));
  };
  /** Where no task becomes slow, the number of permits is fixed. */
  const maxWithFirst = maxTotal > maxQuick ? 2 * maxQuick : maxQuick;
  const hasRoomFor = (limit: number): boolean => {
    forgetSlow();
    return held.total() < maxTotal && quick.size < limit;
  };

  return {
    acquire: (group) => {
      const task = Symbol(group);
      quick.set(task, now());
      held.change(group, 1);
      return () => {
        quick.delete(task);
        held.change(group, -1);
      };
    },
    isAvailable: () => hasRoomFor(maxWithFirst),
    canAcquire: (group) => hasRoomFor(held.of(group) === 0 ? maxWithFirst : maxQuick) && !isFull(group),
    msUntilNextSlow: () => {
      const [oldest] = quick.values();
      return oldest === undefined || maxTotal <= maxQuick ? null : Math.max(0, slowAfterMs - (now() - oldest));
    },
    running: held.total,
  };
};
