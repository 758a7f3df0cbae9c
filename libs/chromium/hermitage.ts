import type { BrowserKind } from './flags.ts';
import type { House } from './house.ts';

export type Hermitages = {
  /** Gives the work a browser of its own, which ends with it. */
  within<T>(kind: BrowserKind, work: (house: House) => Promise<T>): Promise<T>;
  /** Those that are up. */
  houses(): House[];
};

/** Browsers for one document each: for documents in whose company others came to an end, and for the innocent among them. */
export const openHermitages = (open: (kind: BrowserKind) => Promise<House>): Hermitages => {
  const up = new Set<House>();
  return {
    within: async (kind, work) => {
      const house = await open(kind);
      up.add(house);
      try {
        return await work(house);
      } finally {
        await house.browser.close();
        up.delete(house);
      }
    },
    houses: () => [...up],
  };
};
