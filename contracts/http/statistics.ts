import { z } from 'zod';
import { bareId } from '../names.ts';
import { instant } from './instant.ts';

const timestamp = z.string().describe('ISO 8601, UTC.');
const count = z.number().int();
const share = z.number().describe('0 to 1.');

/** The longest ranges of a request. */
export const maxStatisticsHours = 14 * 24;
export const maxStatisticsDays = 400;

const statisticsIntervals = ['hour', 'day'] as const;
export type StatisticsInterval = (typeof statisticsIntervals)[number];

/** Query of GET /statistics. */
export const statisticsQuery = z.strictObject({
  since: instant
    .optional()
    .describe(
      'The beginning, rounded down to the interval. Default: the beginning of the UTC month, or of the UTC day.',
    ),
  until: instant.optional().describe('The end, rounded up to the interval. Default: the end of the current interval.'),
  interval: z
    .enum(statisticsIntervals)
    .default('day')
    .describe(
      `The interval of \`series\`, in UTC. \`hour\`: at most ${maxStatisticsHours / 24} days; \`day\`: at most ` +
        `${maxStatisticsDays} days.`,
    ),
});
export type StatisticsQuery = z.output<typeof statisticsQuery>;

const durations = {
  p50_ms: z
    .number()
    .nullable()
    .describe('The median duration of succeeded renders from acceptance to PDF, within 5 %; null without any.'),
  p95_ms: z.number().nullable().describe('The duration that 95 % of them do not exceed, within 5 %.'),
};
const results = {
  renders: count.describe('Accepted renders.'),
  succeeded: count,
  failed: count,
};
const successRate = z
  .number()
  .nullable()
  .describe('The share of succeeded renders among those that have ended, 0 to 1; null if none has.');
const renderCounts = {
  ...results,
  success_rate: successRate,
  ...durations,
  quota_used: count.describe('Renders that count toward the quota.'),
  pages: count.describe('Pages of the PDFs.'),
  pdf_bytes: count.describe('Bytes of the PDFs.'),
};

const lastError = z.object({ error: z.string(), message: z.string(), at: timestamp, render_id: z.string() });

/** 200 of GET /statistics. */
export const statisticsResponse = z.object({
  since: timestamp,
  until: timestamp,
  interval: z.enum(statisticsIntervals),
  totals: z.object({ ...renderCounts, running: count.describe('Renders that have not ended.') }),
  failures: z
    .array(z.object({ error: z.string().describe('The code of the error.'), count }))
    .describe('Failed renders by error, most frequent first.'),
  series: z
    .array(z.object({ time: timestamp, ...results, ...durations }))
    .describe('Every interval of the range, also those without renders, oldest first.'),
  webhooks: z
    .object({
      requested: count.describe('Callbacks that were due; a redelivery counts again.'),
      delivered: count,
      failed: count.describe('Callbacks whose last attempt failed.'),
      attempts: count,
      failed_attempts: count,
      pending: count.describe('Callbacks that are under way now, whatever the range.'),
    })
    .describe('Callbacks by state, on the UTC days of the range.'),
  attention: z
    .object({
      quota: z
        .object({ limit: count, used: count, share, resets_at: timestamp })
        .nullable()
        .describe('The quota of the current month if at least 80 % of it are used; else null.'),
      webhook_endpoints: z
        .array(
          z.object({
            endpoint: z.string().describe('Host and path of the callback URL, with possible credentials masked.'),
            consecutive_failures: count.describe('Failed attempts in a row.'),
            failing_since: timestamp,
            last_attempt_at: timestamp,
            last_error: z.string(),
          }),
        )
        .describe('Callback receivers whose last attempt failed, latest first; at most 20.'),
      templates: z
        .array(
          z.object({
            template_id: z.string(),
            name: z.string(),
            renders: count,
            failed: count,
            failure_rate: share,
            last_error: lastError,
          }),
        )
        .describe('Templates of which at least 5 % of the renders of the last 7 UTC days failed; at most 20.'),
      keys: z
        .array(z.object({ key_id: z.string(), name: z.string(), prefix: z.string(), expires_at: timestamp }))
        .describe('API keys that expire within 14 days, soonest first; at most 20.'),
    })
    .describe('What needs attention now, whatever the range.'),
});
export type StatisticsResponse = z.output<typeof statisticsResponse>;

const breakdownDimensions = ['day', 'month', 'key', 'template', 'input_type'] as const;
export type BreakdownDimension = (typeof breakdownDimensions)[number];

const breakdownCursor = z
  .string()
  .max(100, { abort: true })
  .refine(
    (cursor) =>
      /^[a-z]{2,10}$/.test(cursor) || ['key', 'person', 'tpl'].some((prefix) => bareId(prefix as 'key', cursor)),
    'must be the next_cursor of a page',
  );

/** Query of GET /usage/breakdown. */
export const breakdownQuery = z.strictObject({
  since: instant.optional().describe('The first UTC day. Default: the first day of the month.'),
  until: instant
    .optional()
    .describe(`The end: the day after the last one. Default: tomorrow. At most ${maxStatisticsDays} days after since.`),
  by: z.enum(breakdownDimensions).default('day'),
  format: z.enum(['json', 'csv']).optional().describe('`csv` has precedence over the header Accept.'),
  limit: z.coerce.number().int().min(1).max(1_000).default(100).describe('For days and months all rows are returned.'),
  cursor: breakdownCursor.optional().describe('next_cursor of the previous page.'),
});

const breakdownRow = z.object({
  value: z.string().describe('YYYY-MM-DD, YYYY-MM, key_<id>, person_<id>, tpl_<id> or the input type.'),
  name: z
    .string()
    .nullable()
    .describe('The name of the key, the person or the template; null for others, and for a deleted template.'),
  ...renderCounts,
});
export type BreakdownRow = z.output<typeof breakdownRow>;

/** 200 of GET /usage/breakdown. */
export const breakdownResponse = z.object({
  since: z.string().describe('The first day, YYYY-MM-DD, UTC.'),
  until: z.string().describe('The day after the last one, YYYY-MM-DD, UTC.'),
  by: z.enum(breakdownDimensions),
  rows: z
    .array(breakdownRow)
    .describe(
      'Every day or month of the range, oldest first; or each key, person, template or input type with renders, in ' +
        'the order of their ids.',
    ),
  next_cursor: z.string().nullable().describe('Null on the last page. A page can have fewer rows than `limit`.'),
});
export type BreakdownResponse = z.output<typeof breakdownResponse>;
