import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/**
 * So many milliseconds an API may go by a document as it was: by keys and accounts always, by templates where the read
 * models are on a server. What changes one waits for `notKnownAnyMore` before it is done.
 */
export const cacheMs = 200;

/** Resolves when no process goes by what it has read before now. */
export const waitForCacheExpiry = async (forMs: number): Promise<void> => {
  // Timers may be early by a part of a millisecond.
  if (forMs > 0) await sleep(forMs + 1);
};

const maxCacheEntries = 5_000;

/** Finds something by its id; null where it is not there. */
export type ReadCache<T> = { find(id: string): Promise<T | null> };

/**
 * What `read` finds, each known for so many milliseconds (0: read every time), so that what is asked for again and again costs the read store little.
 * `clock` tells milliseconds and is never set back.
 */
export const openReadCache = <T extends object>(
  read: (id: string) => Promise<T | null>,
  forMs: number,
  clock = (): number => performance.now(),
): ReadCache<T> => {
  const known = new LRUCache<string, T>({ max: maxCacheEntries, ttl: forMs, ttlResolution: 0, perf: { now: clock } });
  return {
    find: async (id) => {
      const remembered = known.get(id);
      if (remembered) return remembered;
      // What is being read may change at once: it is as old as the question.
      const start = clock();
      const found = await read(id);
      if (found && forMs > 0) known.set(id, found, { start });
      return found;
    },
  };
};
