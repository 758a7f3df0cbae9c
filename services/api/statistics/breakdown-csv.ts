import type { BreakdownDimension, BreakdownRow } from '#contracts/http/statistics.ts';
import type { BreakdownPage } from '#application/statistics/breakdown.ts';
import { csvLine } from '../server/csv.ts';

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

const hasNames = (by: BreakdownDimension): boolean => by === 'key' || by === 'template';

const rowsPerPage = 500;

/** All rows of a breakdown as CSV, page by page. The first column has the name of the dimension. */
export async function* breakdownCsv(
  by: BreakdownDimension,
  readPage: (page: { limit: number; cursor?: string | undefined }) => Promise<BreakdownPage>,
): AsyncGenerator<string> {
  const shown = columns.filter((column) => column !== 'name' || hasNames(by));
  let header = csvLine([by, ...shown]);
  for (let cursor: string | undefined, isLast = false; !isLast; header = '') {
    const { rows, next } = await readPage({ limit: rowsPerPage, cursor });
    yield header + rows.map((row) => csvLine([row.value, ...shown.map((column) => row[column])])).join('');
    cursor = next ?? undefined;
    isLast = next === null;
  }
}
