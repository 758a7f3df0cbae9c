import { ApiError } from '#contracts/http/api-error.ts';
import { readModels } from '#contracts/names.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { UsageReader } from '#libs/limits/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { usageIdOf, type UsageDocument } from './usage.ts';

const catchUpTimeoutMs = 2_000;
const maxAccounts = 1_000_000;

type UsageReadStore = Pick<ReadStore, 'waitForCheckpoint' | 'get' | 'find'>;

const usageBehindMessage = 'The usage of the month is still being counted. Try again in a moment.';

/**
 * Reads the usage read model for the limits. `waitUntilCaughtUp` rejects with service_unavailable after a timeout: a
 * quota counter must not start from a read model that is behind.
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
  usageOfMonth: async (month) => {
    const documents = await reads.find(readModels.usage, { where: { month }, limit: maxAccounts });
    return new Map(
      (documents as UsageDocument[]).map(({ accountId, used, lastPosition }) => [accountId, { used, lastPosition }]),
    );
  },
});
