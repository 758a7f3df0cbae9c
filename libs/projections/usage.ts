import type { EventData } from '#contracts/events/event-schemas.ts';
import { readModels } from '#contracts/names.ts';
import type { Projection } from './projection.ts';

/**
 * Renders that count toward an account's quota of one month (`YYYY-MM`, UTC), in total and by the day (`YYYY-MM-DD`) of
 * acceptance. `templateTests` are template tests with live keys, which do not count. `lastPosition` is the position of the
 * last event that changed the document.
 */
export type UsageDocument = {
  accountId: string;
  month: string;
  used: number;
  byDay: Record<string, number>;
  templateTests: number;
  lastPosition: number;
};

/** The document id for an account (id without prefix) and a month (`YYYY-MM`). */
export const usageIdOf = (accountId: string, month: string): string => `${accountId}/${month}`;

/** Renders of test keys and template tests do not count toward the quota. */
const countsTowardQuota = ({
  keyType,
  templateTest,
}: Pick<EventData['RenderRequested'], 'keyType' | 'templateTest'>): boolean => keyType === 'live' && !templateTest;

/** The number of renders that a request counts as toward the quota: one for each part made of a composed document. */
export const quotaRendersOf = (requested: EventData['RenderRequested']): number => {
  if (!countsTowardQuota(requested)) return 0;
  return requested.source.mode === 'COMPOSE' ? requested.source.renders : 1;
};

const withDayCount =
  (day: string, by: number) =>
  (byDay: Record<string, number>): Record<string, number> => ({ ...byDay, [day]: (byDay[day] ?? 0) + by });

export const usage: Projection<UsageDocument> = {
  model: readModels.usage,
  collection: { name: readModels.usage, indexes: [['month']] },
  handlers: {
    RenderRequested: (event) => {
      const data = event.data;
      if (data.keyType !== 'live') return null;
      const count = quotaRendersOf(data);
      const { accountId } = data;
      const day = event.metadata.occurredAt.slice(0, 10);
      const month = day.slice(0, 7);
      return {
        id: usageIdOf(accountId, month),
        evolve: (document) => {
          const { used = 0, byDay = {}, templateTests = 0 } = document ?? {};
          return {
            accountId,
            month,
            used: used + count,
            byDay: count ? withDayCount(day, count)(byDay) : byDay,
            templateTests: templateTests + (data.templateTest ? 1 : 0),
            lastPosition: event.position,
          };
        },
      };
    },
    RenderFailed: (event) => {
      const { quotaRefundDate, quotaRefund = 1 } = event.data;
      if (quotaRefundDate === null || event.metadata.accountId === null) return null;
      const subtractDay =
        quotaRefundDate.length === 'YYYY-MM-DD'.length
          ? withDayCount(quotaRefundDate, -quotaRefund)
          : (byDay: Record<string, number>) => byDay;
      return {
        id: usageIdOf(event.metadata.accountId, quotaRefundDate.slice(0, 7)),
        evolve: (document) =>
          document && {
            ...document,
            used: document.used - quotaRefund,
            byDay: subtractDay(document.byDay),
            lastPosition: event.position,
          },
      };
    },
  },
};
