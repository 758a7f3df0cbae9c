/** The groups of a lane, by what is known of them: those that have a message to take, in the order of their turns, and those to be looked at again later. */
export type Turns = {
  /** There is, or may be, something to take. */
  wake(group: string): void;
  /** The group whose turn it is, and which is none of these; undefined where no other has anything. It loses its turn, and gets another one by `wake`. */
  pick(except?: ReadonlySet<string>): string | undefined;
  /** Nothing to take for now: to be looked at again at `at`. A group that was woken since it was picked stays awake. */
  rest(group: string, at: number): void;
  /** Nothing there at all. A group that was woken since it was picked stays awake. */
  forget(group: string): void;
  /** The groups that are to be looked at again, and are then no more in the list. At most `limit`. */
  due(now: number, limit: number): string[];
  /** Whether anybody has something to take. */
  any(): boolean;
};

/** Groups take turns: who was served goes behind all others. No clock: times are whatever the caller counts in. */
export const createTurns = (): Turns => {
  const awake = new Set<string>();
  const resting = new Map<string, number>();
  return {
    wake: (group) => {
      resting.delete(group);
      awake.add(group);
    },
    pick: (except) => {
      for (const group of awake) {
        if (except?.has(group)) continue;
        awake.delete(group);
        return group;
      }
      return undefined;
    },
    rest: (group, at) => void (awake.has(group) || resting.set(group, at)),
    forget: (group) => void resting.delete(group),
    due: (now, limit) => {
      const groups: string[] = [];
      for (const [group, at] of resting) {
        if (groups.length >= limit) break;
        if (at <= now) groups.push(group);
      }
      for (const group of groups) resting.delete(group);
      return groups;
    },
    any: () => awake.size > 0,
  };
};
