import { LRUCache } from 'lru-cache';
import { ApiError } from '#contracts/http/api-error.ts';
import { waitForCacheExpiry } from '#libs/read-store/read-cache.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

const maxWaitMs = 1_000;
const maxRememberedWrites = 50_000;

/** Lets a caller read what it wrote: a query waits until its read models have come to the position of the account's last write to them. */
export type ReadYourWrites = {
  /** Notes that what is at `position` in the log, and before it, shall be seen in `models`. */
  recordWrite(accountId: string, position: number, ...models: string[]): void;
  /** Resolves when `models` show the account's writes. @throws Problem service_unavailable after a second: what they show by then would be wrong */
  waitForWrites(accountId: string, ...models: string[]): Promise<void>;
  /** Resolves when every process shows them, also those that go by what they read a moment ago. @throws as `settled` */
  waitForWritesEverywhere(accountId: string, ...models: string[]): Promise<void>;
};

const readModelBehind = (): ApiError =>
  ApiError.of('service_unavailable', 'What was written a moment ago cannot be shown yet. Try again in a moment.', {
    retry_after: 1,
  });

/** Remembers, within this process, the last writes of the accounts that wrote last. For so many milliseconds others may go by what they have read. */
export const createReadYourWrites = (reads: Pick<ReadStore, 'waitForCheckpoint'>, knownForMs = 0): ReadYourWrites => {
  const lastWrites = new LRUCache<string, number>({ max: maxRememberedWrites });
  const placeOf = (accountId: string, model: string): string => `${accountId}\n${model}`;

  const remember = (place: string, position: number): void => {
    // Of two writes at once, the later one in the log may be told of first.
    lastWrites.set(place, Math.max(position, lastWrites.get(place) ?? 0));
  };
  const shows = async (accountId: string, model: string): Promise<boolean> => {
    const place = placeOf(accountId, model);
    const position = lastWrites.get(place);
    if (position === undefined) return true;
    const shown = await reads.waitForCheckpoint(model, position, maxWaitMs);
    // What is seen once stays seen, and need not be asked for again.
    if (shown && lastWrites.get(place) === position) lastWrites.delete(place);
    return shown;
  };
  const settled: ReadYourWrites['waitForWrites'] = async (accountId, ...models) => {
    const shown = await Promise.all(models.map((model) => shows(accountId, model)));
    if (shown.includes(false)) throw readModelBehind();
  };

  return {
    recordWrite: (accountId, position, ...models) =>
      models.forEach((model) => remember(placeOf(accountId, model), position)),
    waitForWrites: settled,
    waitForWritesEverywhere: async (accountId, ...models) => {
      await settled(accountId, ...models);
      await waitForCacheExpiry(knownForMs);
    },
  };
};
