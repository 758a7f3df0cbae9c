import { LRUCache } from 'lru-cache';
import { Problem } from '#contracts/http/problem.ts';
import { notKnownAnyMore } from '#libs/read-store/known.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

const longestWaitMs = 1_000;
const remembered = 50_000;

/** Lets a caller read what it wrote: a query waits until its read models have come to the position of the account's last write to them. */
export type Freshness = {
  /** Notes that what is at `position` in the log, and before it, shall be seen in `models`. */
  wrote(accountId: string, position: number, ...models: string[]): void;
  /** Resolves when `models` show the account's writes. @throws Problem service_unavailable after a second: what they show by then would be wrong */
  settled(accountId: string, ...models: string[]): Promise<void>;
  /** Resolves when every process shows them, also those that go by what they read a moment ago. @throws as `settled` */
  settledEverywhere(accountId: string, ...models: string[]): Promise<void>;
};

const behind = (): Problem => Problem.of('service_unavailable', 'What was written a moment ago cannot be shown yet. Try again in a moment.', { retry_after: 1 });

/** Remembers, within this process, the last writes of the accounts that wrote last. For so many milliseconds others may go by what they have read. */
export const createFreshness = (reads: Pick<ReadStore, 'reached'>, knownForMs = 0): Freshness => {
  const lastWrites = new LRUCache<string, number>({ max: remembered });
  const placeOf = (accountId: string, model: string): string => `${accountId}\n${model}`;

  const remember = (place: string, position: number): void => {
    // Of two writes at once, the later one in the log may be told of first.
    lastWrites.set(place, Math.max(position, lastWrites.get(place) ?? 0));
  };
  const shows = async (accountId: string, model: string): Promise<boolean> => {
    const place = placeOf(accountId, model);
    const position = lastWrites.get(place);
    if (position === undefined) return true;
    const shown = await reads.reached(model, position, longestWaitMs);
    // What is seen once stays seen, and need not be asked for again.
    if (shown && lastWrites.get(place) === position) lastWrites.delete(place);
    return shown;
  };
  const settled: Freshness['settled'] = async (accountId, ...models) => {
    const shown = await Promise.all(models.map((model) => shows(accountId, model)));
    if (shown.includes(false)) throw behind();
  };

  return {
    wrote: (accountId, position, ...models) => models.forEach((model) => remember(placeOf(accountId, model), position)),
    settled,
    settledEverywhere: async (accountId, ...models) => {
      await settled(accountId, ...models);
      await notKnownAnyMore(knownForMs);
    },
  };
};
