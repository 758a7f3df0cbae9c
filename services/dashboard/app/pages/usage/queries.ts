import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { BreakdownDimension, BreakdownRow } from '#contracts/http/statistics.ts';
import { api } from '../../api/client.ts';
import { loadAllPages } from '../../api/cursor-list.ts';
import { statisticsIntervalMs, useLiveQueries } from '../../api/live-events.ts';

const usageKey = ['usage'] as const;

export const views = ['day', 'month', 'key', 'template', 'input_type'] as const satisfies BreakdownDimension[];
export type View = (typeof views)[number];

/** How many months the view of months shows. */
const monthsShown = 12;

/** The first days of a month `YYYY-MM` and of the month that follows `months` later. */
const monthStart = (month: string, later = 0): string => {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + later, 1)).toISOString().slice(0, 10);
};

/** The query of a view; the view of months ends with the month and shows those before it, too. */
export const breakdownQueryOf = (by: View, month: string) => ({
  by,
  since: by === 'month' ? monthStart(month, 1 - monthsShown) : monthStart(month),
  until: monthStart(month, 1),
});

export type Breakdown = { rows: BreakdownRow[]; isTruncated: boolean };

const rowsPerPage = 1_000;
const maxPages = 3;

const readBreakdown = async (by: View, month: string, signal: AbortSignal): Promise<Breakdown> => {
  const { rows, isTruncated } = await loadAllPages(maxPages, async (cursor: string | undefined) => {
    const query = { ...breakdownQueryOf(by, month), limit: rowsPerPage, cursor };
    const page = await api.get('/api/v1/usage/breakdown', { query, signal });
    return { rows: page.rows, next: page.next_cursor };
  });
  return { rows: ordered(by, rows), isTruncated };
};

/** Days and months newest first, everything else by the number of renders. */
const ordered = (by: View, rows: BreakdownRow[]): BreakdownRow[] =>
  by === 'day' || by === 'month' ? rows.toReversed() : rows.toSorted((a, b) => b.renders - a.renders);

export const useBreakdown = (by: View, month: string): UseQueryResult<Breakdown> =>
  useQuery({
    queryKey: [...usageKey, 'breakdown', by, month],
    queryFn: ({ signal }) => readBreakdown(by, month, signal),
    placeholderData: (previous, query) => (query?.queryKey[2] === by ? previous : undefined),
  });

export const useLimits = () =>
  useQuery({
    queryKey: [...usageKey, 'limits'],
    queryFn: async ({ signal }) => {
      const [usage, account, templates] = await Promise.all([
        api.get('/api/v1/usage', { signal }),
        api.get('/api/v1/account', { signal }),
        api.get('/api/v1/templates', { query: { limit: 1 }, signal }),
      ]);
      return { usage, account, templates: templates.total };
    },
  });

const shownEvents = /^(?:Render(?:Requested|Completed|Failed)|PlanChanged|Template(?:Created|Deleted))/;

/** Loads the usage again when events that change it happen. */
export const useLiveUsage = (): void => useLiveQueries([usageKey], shownEvents, { intervalMs: statisticsIntervalMs });
