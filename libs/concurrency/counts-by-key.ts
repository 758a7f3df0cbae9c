/** How many there are of something for each key at the moment. */
export type CountsByKey = {
  of: (key: string) => number;
  change: (key: string, by: number) => void;
  total: () => number;
};

export const createCountsByKey = (): CountsByKey => {
  const counts = new Map<string, number>();
  let total = 0;
  const of = (key: string): number => counts.get(key) ?? 0;
  return {
    of,
    change: (key, by) => {
      const count = of(key) + by;
      if (count > 0) counts.set(key, count);
      else counts.delete(key);
      total += by;
    },
    total: () => total,
  };
};
