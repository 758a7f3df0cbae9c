import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/**
 * How long, in milliseconds, the API may use a cached document: keys and accounts always, templates if the read models
 * are on a server. A command that changes such a document waits for `waitForCacheExpiry` before it returns.
 */
export const cacheMs = 200;

/** Resolves when no process uses a document that it read before this call. */
export const waitForCacheExpiry = async (forMs: number): Promise<void> => {
  // Timers may fire a fraction of a millisecond early.
  if (forMs > 0) await sleep(forMs + 1);
};

const maxCacheEntries = 5_000;

/** Finds a document by its id; null if there is none. */
export type ReadCache<T> = { find(id: string): Promise<T | null> };

/**
 * Caches each result of `read` for `forMs` milliseconds (0: no cache). `clock` returns milliseconds and never goes back.
 */
export const openReadCache = <T extends object>(
  read: (id: string) => Promise<T | null>,
  forMs: number,
  clock = (): number => performance.now(),
): ReadCache<T> => {
  const cache = new LRUCache<string, T>({ max: maxCacheEntries, ttl: forMs, ttlResolution: 0, perf: { now: clock } });
  return {
    find: async (id) => {
      const cached = cache.get(id);
      if (cached) return cached;
      // The document may change during the read, so its age counts from the start of the read.
      const start = clock();
      const found = await read(id);
      if (found && forMs > 0) cache.set(id, found, { start });
      return found;
    },
  };
};
