import type { RenderEvent } from '#contracts/events/render.ts';
import { readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Projection } from './projection.ts';

/** Renders of live keys in one month (`YYYY-MM`, UTC) of an account: those that count toward its quota, and the day each was accepted. */
export type UsageDocument = { accountId: string; month: string; used: number; byDay: Record<string, number> };

export const usageIdOf = (accountId: string, month: string): string => `${accountId}/${month}`;

type Data<T extends RenderEvent['type']> = Extract<RenderEvent, { type: T }>['data'];

export const usage: Projection<UsageDocument> = {
  model: readModels.usage,
  collection: { name: readModels.usage, indexes: [] },
  on: {
    RenderRequested: (event) => {
      const { accountId, keyType, trial } = event.data as Data<'RenderRequested'>;
      if (keyType === 'test' || trial) return null;
      const day = event.metadata.occurredAt.slice(0, 10);
      const month = day.slice(0, 7);
      return {
        id: usageIdOf(accountId, month),
        evolve: (document) => ({
          accountId,
          month,
          used: (document?.used ?? 0) + 1,
          byDay: { ...document?.byDay, [day]: (document?.byDay[day] ?? 0) + 1 },
        }),
      };
    },
    RenderFailed: (event: RecordedEvent) => {
      const { givesBack } = event.data as Data<'RenderFailed'>;
      if (givesBack === null || event.metadata.accountId === null) return null;
      return { id: usageIdOf(event.metadata.accountId, givesBack), evolve: (document) => document && { ...document, used: document.used - 1 } };
    },
  },
};
