import { LRUCache } from 'lru-cache';
import { ApiError } from '#contracts/http/api-error.ts';
import { waitForCacheExpiry } from '#libs/concurrency/read-cache.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** How long a query waits for its read models, in milliseconds. On a busy machine the projector can need seconds. */
export const maxReadModelWaitMs = 5_000;
const maxRememberedWrites = 50_000;

/**
 * Read-your-writes consistency: a query waits until its read models have reached the position of the account's last
 * write.
 */
export type ReadYourWrites = {
  /** Records that the account has written events up to `position` that affect `models`. */
  recordWrite(accountId: string, position: number, ...models: string[]): void;
  /** Resolves when `models` include the account's writes. @throws ApiError service_unavailable after `maxReadModelWaitMs` */
  waitForWrites(accountId: string, ...models: string[]): Promise<void>;
  /**
   * The same for all processes: also waits until their read caches have expired. @throws ApiError service_unavailable
   */
  waitForWritesEverywhere(accountId: string, ...models: string[]): Promise<void>;
};

const readModelBehind = (): ApiError =>
  ApiError.of('service_unavailable', 'The last change cannot be shown yet. Try again in a moment.', {
    retry_after: 1,
  });

/**
 * Keeps the last writes of recent accounts in memory. `cacheMs` is the lifetime of read cache entries in milliseconds.
 */
export const createReadYourWrites = (reads: Pick<ReadStore, 'waitForCheckpoint'>, cacheMs = 0): ReadYourWrites => {
  const lastWrites = new LRUCache<string, number>({ max: maxRememberedWrites });
  const keyOf = (accountId: string, model: string): string => `${accountId}\n${model}`;

  const remember = (key: string, position: number): void => {
    // Concurrent writes may be recorded in another order than that of the event log.
    lastWrites.set(key, Math.max(position, lastWrites.get(key) ?? 0));
  };
  const includesWrites = async (accountId: string, model: string): Promise<boolean> => {
    const key = keyOf(accountId, model);
    const position = lastWrites.get(key);
    if (position === undefined) return true;
    const isReached = await reads.waitForCheckpoint(model, position, maxReadModelWaitMs);
    if (isReached && lastWrites.get(key) === position) lastWrites.delete(key);
    return isReached;
  };
  const waitForWrites: ReadYourWrites['waitForWrites'] = async (accountId, ...models) => {
    const reached = await Promise.all(models.map((model) => includesWrites(accountId, model)));
    if (reached.includes(false)) throw readModelBehind();
  };

  return {
    recordWrite: (accountId, position, ...models) =>
      models.forEach((model) => remember(keyOf(accountId, model), position)),
    waitForWrites,
    waitForWritesEverywhere: async (accountId, ...models) => {
      await waitForWrites(accountId, ...models);
      await waitForCacheExpiry(cacheMs);
    },
  };
};
