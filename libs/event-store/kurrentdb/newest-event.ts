import type { ReadResult } from './reads.ts';

/** How many events a search reads at once. */
const searchedAtOnce = 500;

/**
 * Finds the position of the service's newest event; 0 if it has none. The newest events of the streams may be those of
 * other applications that have streams with the same prefixes: each is read once. `readNewest` returns the newest
 * `count` events, without those from the position `before` on.
 */
export const newestEventSearch = (readNewest: (count: number, before?: number) => Promise<ReadResult>) => {
  let known = { newest: 0, own: 0 };
  return async (): Promise<number> => {
    const { newest: knownNewest, own: knownOwn } = known;
    let newest = 0;
    for (let [count, before]: [number, number?] = [1]; ; count = searchedAtOnce) {
      const { events, count: found, end } = await readNewest(count, before);
      newest ||= end;
      // After a restore, the log ends before what was known.
      const isRestKnown = newest >= knownNewest && end <= knownNewest;
      if (events.length > 0 || found < count || isRestKnown) {
        const own = events[0]?.position ?? (isRestKnown ? knownOwn : 0);
        known = { newest, own };
        return own;
      }
      before = end;
    }
  };
};
