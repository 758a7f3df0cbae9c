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
 * The usage read model as the limits read it. From a model that is behind a month would begin anew: `caughtUp`
 * rejects with service_unavailable then.
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
