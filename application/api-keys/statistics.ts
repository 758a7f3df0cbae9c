import { keyRenders, type KeyRendersDocument, keyUseCollection, type KeyUseDocument } from '#libs/projections/key-renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** What was done with a key: requests of any kind, renders asked for, how they ended, and those that count toward the quota. */
export type KeyFigures = { requests: number; renders: number; succeeded: number; failed: number; quota: number };
/** `lastUsedAt` is the time of the last request, null before the first one. */
export type KeyStatistics = { lastUsedAt: string | null; period: KeyFigures; total: KeyFigures };

const none: KeyFigures = { requests: 0, renders: 0, succeeded: 0, failed: 0, quota: 0 };
const atMost = 100_000;

const latest = (times: readonly string[]): string | null => times.toSorted().at(-1) ?? null;
const sum = (all: readonly Partial<KeyFigures>[]): KeyFigures =>
  all.reduce<KeyFigures>(
    (one, { requests = 0, renders = 0, succeeded = 0, failed = 0, quota = 0 }) => ({
      requests: one.requests + requests, renders: one.renders + renders, succeeded: one.succeeded + succeeded, failed: one.failed + failed, quota: one.quota + quota,
    }),
    none,
  );

/**
 * The statistics of an account's keys, by the bare id of the key; keys that were never used are not in it. `period` is a month, `YYYY-MM` in UTC.
 * Renders are counted from the log; other requests are noted by the running service and shown about a second later.
 */
export const keyStatistics = async (reads: ReadStore, accountId: string, period: string): Promise<Map<string, KeyStatistics>> => {
  const query = { where: { accountId }, limit: atMost };
  const [renders, uses] = await Promise.all([reads.find(keyRenders.name, query), reads.find(keyUseCollection.name, query)]);
  const documents = [...(renders as KeyRendersDocument[]), ...(uses as KeyUseDocument[])];
  const byKey = Map.groupBy(documents, ({ keyId }) => keyId);
  return new Map(
    [...byKey].map(([keyId, own]) => [
      keyId,
      {
        lastUsedAt: latest(own.map((one) => ('lastAt' in one ? one.lastAt : one.lastRenderAt))),
        period: sum(own.filter(({ month }) => month === period)),
        total: sum(own),
      },
    ]),
  );
};
