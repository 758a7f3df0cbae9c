import { ApiError } from '#contracts/http/api-error.ts';
import { readModels } from '#contracts/names.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { Usage, UsageReader } from '#libs/limits/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { usageIdOf, type UsageDocument } from './usage.ts';

const catchUpTimeoutMs = 5_000;
const maxDocumentsPerQuery = 1_000;

type UsageReadStore = Pick<ReadStore, 'waitForCheckpoint' | 'get' | 'getMany'>;

const usageBehindMessage = 'The usage of the month is still being counted. Try again in a moment.';

/**
 * Reads the usage read model for the limits. `waitUntilCaughtUp` rejects with ApiError service_unavailable after
 * `catchUpTimeoutMs`: a quota counter must not start from a read model that is behind.
 */
export const createUsageReader = (store: Pick<EventStore, 'head'>, reads: UsageReadStore): UsageReader => ({
  waitUntilCaughtUp: async () => {
    if (await reads.waitForCheckpoint(readModels.usage, await store.head(), catchUpTimeoutMs)) return;
    throw ApiError.of('service_unavailable', usageBehindMessage, { retry_after: 2 });
  },
  usageOf: async (accountId, month) => {
    const document = (await reads.get(readModels.usage, usageIdOf(accountId, month))) as UsageDocument | null;
    return { used: document?.used ?? 0, lastPosition: document?.lastPosition ?? 0 };
  },
  usageOfAccounts: async (accountIds, month) => {
    const ids = accountIds.map((accountId) => usageIdOf(accountId, month));
    const found = new Map<string, Usage>();
    for (let start = 0; start < ids.length; start += maxDocumentsPerQuery) {
      const documents = await reads.getMany(readModels.usage, ids.slice(start, start + maxDocumentsPerQuery));
      for (const { accountId, used, lastPosition } of documents as UsageDocument[])
        found.set(accountId, { used, lastPosition });
    }
    return found;
  },
});
