import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { UsageResponse } from '#contracts/http/account.ts';
import type { StatisticsResponse } from '#contracts/http/statistics.ts';
import { api } from '../../api/client.ts';
import { statisticsIntervalMs, useLiveQueries } from '../../api/live-events.ts';

export const ranges = ['day', 'week', 'month', 'year'] as const;
export type Range = (typeof ranges)[number];

const hourMs = 3_600_000;
const intervals = {
  day: { interval: 'hour', lengthMs: 23 * hourMs },
  week: { interval: 'hour', lengthMs: (7 * 24 - 1) * hourMs },
  month: { interval: 'day', lengthMs: 29 * 24 * hourMs },
  year: { interval: 'day', lengthMs: 364 * 24 * hourMs },
} as const;

/** The beginning of a range that ends now. */
const sinceOf = (range: Range): string => new Date(Date.now() - intervals[range].lengthMs).toISOString();

const overviewKey = ['overview'] as const;
/** Days, months and ranges end also without an event. */
const refetchInterval = 60_000;

/** The statistics of a range that ends now. */
export const useStatistics = (range: Range): UseQueryResult<StatisticsResponse> =>
  useQuery({
    queryKey: [...overviewKey, 'statistics', range],
    queryFn: ({ signal }) =>
      api.get('/api/v1/statistics', {
        query: { since: sinceOf(range), interval: intervals[range].interval },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval,
  });

/** The statistics of the present UTC day. */
export const useToday = (): UseQueryResult<StatisticsResponse> =>
  useQuery({
    queryKey: [...overviewKey, 'today'],
    queryFn: ({ signal }) => api.get('/api/v1/statistics', { query: { interval: 'hour' }, signal }),
    refetchInterval,
  });

export const useQuota = (): UseQueryResult<UsageResponse> =>
  useQuery({
    queryKey: [...overviewKey, 'usage'],
    queryFn: ({ signal }) => api.get('/api/v1/usage', { signal }),
    refetchInterval,
  });

const latestRenders = 6;

/** The newest renders; an account without any has just begun. */
export const useLatestRenders = () =>
  useQuery({
    queryKey: [...overviewKey, 'renders'],
    queryFn: ({ signal }) => api.get('/api/v1/renders', { query: { limit: latestRenders }, signal }),
  });

const shownEvents = /^(?:Render(?:Requested|Started|Completed|Failed)|Webhook|Delivery|Redelivery|ApiKey|PlanChanged)/;

/** Loads the figures again when events that change them happen. */
export const useLiveOverview = (): void =>
  useLiveQueries([overviewKey], shownEvents, { intervalMs: statisticsIntervalMs });
