/** What this process has in hands, by group. A lease that has run out no longer counts. */
export type Hands = {
  /** `until` tells when the lease runs out, or ran out; it may change. */
  take(group: string, until: () => number): void;
  /** `now` is on the clock of the leases. */
  count(group: string, now: number): number;
};

export const openHands = (): Hands => {
  const held = new Map<string, (() => number)[]>();
  const current = (group: string, now: number): (() => number)[] => {
    const still = (held.get(group) ?? []).filter((until) => until() > now);
    if (still.length > 0) held.set(group, still);
    else held.delete(group);
    return still;
  };
  return {
    take: (group, until) => void held.set(group, [...current(group, performance.now()), until]),
    count: (group, now) => current(group, now).length,
  };
};
