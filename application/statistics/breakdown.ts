import type { BreakdownDimension, BreakdownRow } from '#contracts/http/statistics.ts';
import { bareId, readModels } from '#contracts/names.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import type { PersonDocument } from '#libs/projections/people.ts';
import {
  renderStatistics,
  type RenderStatisticsDocument,
  type StatisticsDimension,
  statisticsIdPrefix,
} from '#libs/projections/render-statistics.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { addCounts, countsView, readTotals } from './counts.ts';
import { monthsAndDays, type StatisticsRange } from './periods.ts';

type BreakdownRequest = { by: BreakdownDimension; range: StatisticsRange; page: PageRequest };
export type BreakdownPage = { rows: BreakdownRow[]; next: string | null };
type PageRequest = { limit: number; cursor?: string | undefined };

/** One page is made of about this number of documents at most. */
const maxDocumentsPerPage = 2_000;
const minPageSize = 10;

const dimensions = { key: 'key', template: 'template', input_type: 'inputType' } as const satisfies Partial<
  Record<BreakdownDimension, StatisticsDimension>
>;

const rowsByTime = async (
  reads: ReadStore,
  accountId: string,
  { periods }: StatisticsRange,
  by: 'day' | 'month',
): Promise<BreakdownRow[]> => {
  const counts = await readTotals(reads, accountId, periods);
  const length = by === 'day' ? 10 : 7;
  const groups = Map.groupBy(
    periods.map((period, index) => ({ value: period.slice(0, length), counts: counts[index]! })),
    ({ value }) => value,
  );
  return [...groups].map(([value, some]) => ({
    value,
    name: null,
    ...countsView(addCounts(some.map((one) => one.counts))),
  }));
};

/** The documents of a dimension and a period after the value `after`, in the order of their values. */
const readPeriod = async (
  reads: ReadStore,
  prefix: string,
  after: string | undefined,
  limit: number,
): Promise<RenderStatisticsDocument[]> =>
  (await reads.find(renderStatistics.name, {
    where: {},
    // A space comes before all characters of values, and 0 follows the slash at the end of the prefix.
    range: { by: 'id', from: after === undefined ? prefix : `${prefix}${after} `, before: `${prefix.slice(0, -1)}0` },
    sort: { by: 'id', descending: false },
    limit,
  })) as RenderStatisticsDocument[];

/** The documents of the next values in all periods; `next` is the last of these values, null if there are no others. */
const readValues = async (
  reads: ReadStore,
  prefixes: readonly string[],
  { limit, cursor }: PageRequest,
): Promise<{ groups: [string, RenderStatisticsDocument[]][]; next: string | null }> => {
  const size = Math.max(minPageSize, Math.min(limit, Math.floor(maxDocumentsPerPage / prefixes.length))) + 1;
  const found = await Promise.all(prefixes.map((prefix) => readPeriod(reads, prefix, cursor, size)));
  // A period whose documents were cut off is complete up to its last one.
  const ends = found.flatMap((documents) => (documents.length < size ? [] : documents.at(-1)!.value)).toSorted();
  const groups = [...Map.groupBy(found.flat(), ({ value }) => value)]
    .filter(([value]) => ends.length === 0 || value <= ends[0]!)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const isLast = ends.length === 0 && groups.length <= limit;
  const page = groups.slice(0, limit);
  return { groups: page, next: isLast ? null : page.at(-1)![0] };
};

const namedModels = { key: readModels.apiKeys, tpl: readModels.templates, person: readModels.people } as const;

/** The names of keys, templates and people by their ids in the API. */
const readNames = async (
  reads: ReadStore,
  prefix: keyof typeof namedModels,
  values: readonly string[],
): Promise<[string, string][]> => {
  const ids = values.flatMap((value) => bareId(prefix, value) ?? []);
  const documents = await reads.getMany(namedModels[prefix], ids);
  return (documents as (ApiKeyDocument | TemplateDocument | PersonDocument)[]).map(({ id, name }) => [
    `${prefix}_${id}`,
    name,
  ]);
};

const namesOf = async (
  reads: ReadStore,
  by: keyof typeof dimensions,
  values: readonly string[],
): Promise<Map<string, string>> => {
  if (by === 'input_type') return new Map();
  const prefixes = by === 'key' ? (['key', 'person'] as const) : (['tpl'] as const);
  return new Map((await Promise.all(prefixes.map((prefix) => readNames(reads, prefix, values)))).flat());
};

/** A page of the renders of an account in whole days, by time or by what they have in common. */
export const readBreakdown = async (
  reads: ReadStore,
  accountId: string,
  { by, range, page }: BreakdownRequest,
  now: Date,
): Promise<BreakdownPage> => {
  if (by === 'day' || by === 'month') return { rows: await rowsByTime(reads, accountId, range, by), next: null };
  const prefixes = monthsAndDays(range.periods, now).map((period) =>
    statisticsIdPrefix(accountId, dimensions[by], period),
  );
  const { groups, next } = await readValues(reads, prefixes, page);
  const names = await namesOf(
    reads,
    by,
    groups.map(([value]) => value),
  );
  const rows = groups.map(([value, some]) => ({
    value,
    name: names.get(value) ?? null,
    ...countsView(addCounts(some)),
  }));
  return { rows, next };
};
