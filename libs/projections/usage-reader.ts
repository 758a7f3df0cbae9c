import { Problem } from '#contracts/http/problem.ts';
import { readModels } from '#contracts/names.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { UsageReader } from '#libs/limits/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { usageIdOf, type UsageDocument } from './usage.ts';

const longestCatchUpMs = 2_000;
const mostAccounts = 1_000_000;

type Reads = Pick<ReadStore, 'reached' | 'get' | 'find'>;

const behind = 'The usage of the month is still being counted. Try again in a moment.';

/**
 * The usage read model as the limits read it. From a model that is behind a month would begin anew: `caughtUp`
 * rejects with service_unavailable then.
 */
export const usageReader = (store: Pick<EventStore, 'head'>, reads: Reads): UsageReader => ({
  caughtUp: async () => {
    if (await reads.reached(readModels.usage, await store.head(), longestCatchUpMs)) return;
    throw Problem.of('service_unavailable', behind, { retry_after: 2 });
  },
  of: async (accountId, month) => {
    const document = (await reads.get(readModels.usage, usageIdOf(accountId, month))) as UsageDocument | null;
    return { used: document?.used ?? 0, through: document?.through ?? 0 };
  },
  ofMonth: async (month) => {
    const documents = await reads.find(readModels.usage, { where: { month }, limit: mostAccounts });
    return new Map((documents as UsageDocument[]).map(({ accountId, used, through }) => [accountId, { used, through }]));
  },
});
