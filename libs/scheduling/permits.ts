export type PermitLimits = {
  /** How many works may run at once that have not run for `slowAfterMs` yet. */
  maxQuick: number;
  /** How many works may run at once in all. Where it is more than `quick`, slow work leaves its place to others. */
  maxTotal: number;
  /** Work that has run for longer counts as slow: mostly it waits for something. */
  slowAfterMs: number;
  /** How many works of one group may run at once; `most` unless given. */
  maxPerGroup?: number;
};

/** Counts what runs, and says what may begin. */
export type Permits = {
  /** Takes a place for a work of the group. The answer gives it back. */
  acquire(group: string): () => void;
  /** Whether any group may begin a work now. */
  isAvailable(): boolean;
  canAcquire(group: string): boolean;
  /** In how many milliseconds the next work becomes slow; null where none will. */
  msUntilNextSlow(): number | null;
  running(): number;
};

/** How long work runs before it counts as slow, in milliseconds. */
export const defaultSlowAfterMs = 500;

/**
 * Shares places between groups, so that no few of them hold all for long. A group may hold at most half as many as are still free (dynamic thresholds,
 * Choudhury and Hahne 1998), and always one: a group that comes later finds room, however slow the work of earlier groups is. `now` is in milliseconds.
 */
export const createPermits = (
  { maxQuick, maxTotal, slowAfterMs, maxPerGroup = maxTotal }: PermitLimits,
  now: () => number = () => performance.now(),
): Permits => {
  /** Since when each quick work runs, the oldest first. */
  const young = new Map<symbol, number>();
  const held = new Map<string, number>();
  let running = 0;

  const age = (): void => {
    if (maxTotal <= maxQuick) return;
    for (const [work, since] of young) {
      if (now() - since < slowAfterMs) return;
      young.delete(work);
    }
  };
  const isFull = (group: string): boolean => {
    const own = held.get(group) ?? 0;
    if (own === 0) return false;
    return own >= maxPerGroup || (maxTotal > maxQuick && own * 2 >= maxTotal - running);
  };
  const isFree = (): boolean => {
    age();
    return running < maxTotal && young.size < maxQuick;
  };

  return {
    acquire: (group) => {
      const work = Symbol(group);
      young.set(work, now());
      held.set(group, (held.get(group) ?? 0) + 1);
      running += 1;
      return () => {
        young.delete(work);
        running -= 1;
        const left = held.get(group)! - 1;
        if (left > 0) held.set(group, left);
        else held.delete(group);
      };
    },
    isAvailable: isFree,
    canAcquire: (group) => isFree() && !isFull(group),
    msUntilNextSlow: () => {
      age();
      const [oldest] = young.values();
      return oldest === undefined || maxTotal <= maxQuick ? null : Math.max(0, slowAfterMs - (now() - oldest));
    },
    running: () => running,
  };
};
