import type { ReadStore } from '#libs/read-store/port.ts';

const longestWaitMs = 1_000;
const remembered = 10_000;

/** Lets a caller read what it wrote: a query waits until the read model has come to the position of the account's last write. */
export type Freshness = {
  wrote(accountId: string, position: number): void;
  /** Resolves when `models` show the account's writes, or after a second. */
  settled(accountId: string, ...models: string[]): Promise<void>;
};

export const createFreshness = (reads: ReadStore): Freshness => {
  const lastWrite = new Map<string, number>();
  return {
    wrote: (accountId, position) => {
      lastWrite.delete(accountId);
      lastWrite.set(accountId, position);
      if (lastWrite.size > remembered) lastWrite.delete(lastWrite.keys().next().value!);
    },
    settled: async (accountId, ...models) => {
      const position = lastWrite.get(accountId);
      if (position === undefined) return;
      await Promise.all(models.map((model) => reads.reached(model, position, longestWaitMs)));
    },
  };
};
