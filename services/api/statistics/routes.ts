import {
  breakdownQuery,
  breakdownResponse,
  statisticsQuery,
  type BreakdownResponse,
  statisticsResponse,
  type BreakdownDimension,
  type BreakdownRow,
} from '#contracts/http/statistics.ts';
import { readModels } from '#contracts/names.ts';
import { readAttention } from '#application/statistics/attention.ts';
import { readBreakdown, type BreakdownPage } from '#application/statistics/breakdown.ts';
import { rangeOf } from '#application/statistics/periods.ts';
import { readStatistics } from '#application/statistics/statistics.ts';
import { prefersType } from '../server/accepts-pdf.ts';
import { csvType, sendDownload, csvLine } from '../server/csv.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';
import { breakdownExample, statisticsExample } from './examples.ts';

const columns = [
  'name',
  'renders',
  'succeeded',
  'failed',
  'success_rate',
  'p50_ms',
  'p95_ms',
  'quota_used',
  'pages',
  'pdf_bytes',
] as const satisfies (keyof BreakdownRow)[];

const rowsPerPage = 500;

/** All rows of a breakdown as CSV, page by page. The first column has the name of the dimension. */
async function* breakdownCsv(
  by: BreakdownDimension,
  readPage: (page: { limit: number; cursor?: string | undefined }) => Promise<BreakdownPage>,
): AsyncGenerator<string> {
  const shown = columns.filter((column) => column !== 'name' || by === 'key' || by === 'template');
  let header = csvLine([by, ...shown]);
  for (let cursor: string | undefined, isLast = false; !isLast; header = '') {
    const { rows, next } = await readPage({ limit: rowsPerPage, cursor });
    yield header + rows.map((row) => csvLine([row.value, ...shown.map((column) => row[column])])).join('');
    cursor = next ?? undefined;
    isLast = next === null;
  }
}

const { renders, webhookStatistics } = readModels;

/** The statistics of the account's renders and callbacks. */
export const statisticsRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/statistics',
    operationId: 'getStatistics',
    tag: 'Account',
    summary: 'Read the statistics of the account',
    description:
      'Returns how many renders were accepted, succeeded and failed, how long they took, the state of the callbacks, ' +
      'and what needs attention now. A render counts in the interval of its acceptance. Renders of live and test keys ' +
      'and of people count; template tests do not.',
    permission: 'usage:read',
    request: { query: statisticsQuery },
    responses: [ok('The statistics.', nameSchema('Statistics', statisticsResponse), { examples: statisticsExample })],
    handle: async ({ account, query, quota }, { reads, readYourWrites, eventLog }) => {
      await readYourWrites.waitForWrites(account.id, renders, webhookStatistics);
      const now = eventLog.now();
      const [statistics, attention] = await Promise.all([
        readStatistics(reads, account.id, query, now),
        readAttention(reads, account.id, quota, now),
      ]);
      return { ...statistics, attention };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/usage/breakdown',
    operationId: 'getUsageBreakdown',
    tag: 'Account',
    summary: 'Read the usage by day, key, template or input type',
    description:
      'Returns the renders of whole UTC days by day or month, or by key or person, template or input type. With ' +
      '`format=csv` or `Accept: text/csv` the response is a CSV file (RFC 4180) with all rows. A name that a ' +
      'spreadsheet would take for a formula has an apostrophe in front.',
    permission: 'usage:read',
    request: { query: breakdownQuery },
    responses: [
      ok('One page of rows, or all rows as CSV.', nameSchema('UsageBreakdown', breakdownResponse), {
        contentType: csvType,
        examples: breakdownExample,
      }),
    ],
    handle: async ({ account, query, reply }, { reads, readYourWrites, eventLog }) => {
      await readYourWrites.waitForWrites(account.id, renders);
      const now = eventLog.now();
      const { by, limit, cursor } = query;
      const range = rangeOf(query, 'day', now);
      const since = range.periods[0]!;
      const readPage = (page: { limit: number; cursor?: string | undefined }) =>
        readBreakdown(reads, account.id, { by, range, page }, now);
      const wantsCsv = query.format === undefined ? prefersType(reply.request, csvType) : query.format === 'csv';
      if (wantsCsv) {
        const fileName = `usage-by-${by.replace('_', '-')}-${since}-${range.periods.at(-1)!}.csv`;
        return sendDownload(reply, fileName, `${csvType}; charset=utf-8; header=present`, breakdownCsv(by, readPage));
      }
      const { rows, next } = await readPage({ limit, cursor });
      const until = range.until.toISOString().slice(0, 10);
      return { since, until, by, rows, next_cursor: next } satisfies BreakdownResponse;
    },
  }),
];
