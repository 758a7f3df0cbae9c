import { expect, it } from 'vitest';
import { readModels } from '#contracts/names.ts';
import { renderFieldsIndex, renders } from '#libs/projections/renders.ts';
import { findIdsSql, findSql, schemaOf } from '#libs/read-store/sqlite-query.ts';
import { toMongoFilter, toMongoIndex, toMongoSort } from '#libs/read-store/mongodb-query.ts';
import { allIndexesOf, type Query } from '#libs/read-store/port.ts';
import { openDatabase } from '#libs/sqlite/database.ts';
import { rendersThatKeep } from '../../services/sweeper/erase.ts';

/** The fields by which a page of renders is read with one query, see application/renders/find-renders.ts. */
const filters: string[][] = [
  [],
  ['kind'],
  ['kind', 'status'],
  ['status'],
  ['source.mode'],
  ['sourceKey'],
  ['requester'],
  ['errorCode'],
];
const queryBy = (fields: readonly string[]): Query => ({
  where: { accountId: 'a', ...Object.fromEntries(fields.map((field) => [field, 'x'])) },
  range: { by: 'id', from: '0', before: 'Z' },
  sort: { by: 'id', descending: true },
  limit: 21,
});

const planOf = ({ sql, parameters }: ReturnType<typeof findSql>): string[] => {
  const database = openDatabase(':memory:', 'normal');
  for (const statement of schemaOf(renders.collection)) database.exec(statement);
  const plan = database.all(`EXPLAIN QUERY PLAN ${sql}`, ...parameters).map(({ detail }) => String(detail));
  database.close();
  return plan;
};

it.each(filters.map((fields) => [fields]))(
  'SQLite reads a page of renders by %j from one index, in order',
  (fields) => {
    const plan = planOf(findSql(readModels.renders, '', queryBy(fields)));
    expect(plan).toHaveLength(1);
    const conditions = ['accountId', ...fields, 'id'];
    const index = fields.length === 0 ? renderFieldsIndex : conditions;
    expect(plan[0]).toContain(`USING INDEX renders by ${index.join(', ')} (`);
    // The generation, each field, and both ends of the range.
    expect(plan[0]!.match(/[=<>]\?/g)).toHaveLength(conditions.length + 2);
  },
);

it.each<[string, Partial<Query>]>([
  ['PDFs to erase', { range: { by: 'keptUntil', before: 'x' }, sort: { by: 'keptUntil', descending: false } }],
  [
    'secrets to erase',
    {
      range: { by: 'secretsErasableSince', before: 'x' },
      sort: { by: 'secretsErasableSince', descending: false },
    },
  ],
])('SQLite finds the renders with %s in a sparse index', (_, query) => {
  const plan = planOf(findSql(readModels.renders, '', { where: {}, limit: 1, ...query }));
  expect(plan[0]).toMatch(/^SEARCH collection_renders USING INDEX .+ \(generation=\? AND <expr>/);
});

it.each(['pdf', 'thumbnail'] as const)(
  'SQLite finds the renders that keep a file (%s) in one index, in order',
  (file) => {
    const plan = planOf(findSql(readModels.renders, '', rendersThatKeep(file, 'x', '2026')));
    expect(plan).toEqual([
      `SEARCH collection_renders USING INDEX renders by ${file}.sha256, keptUntil (generation=? AND <expr>=? AND <expr>>?)`,
    ]);
  },
);

it('SQLite finds the ids for a combination of filters in one index, in order, without reading documents', () => {
  const fields = renderFieldsIndex.filter((field) => field !== 'accountId' && field !== 'id');
  const plan = planOf(findIdsSql(readModels.renders, '', { ...queryBy(fields), index: renderFieldsIndex }));
  expect(plan).toHaveLength(1);
  expect(plan[0]).toContain(`USING COVERING INDEX renders by ${renderFieldsIndex.join(', ')} (`);
});

it.each(filters.map((fields) => [fields]))('MongoDB has an index for a page of renders by %j, in order', (fields) => {
  const query = queryBy(fields);
  const wanted = JSON.stringify(toMongoFilter(query.where, query.range)).match(/fields\.[\w/]+/g)!;
  const sorted = Object.keys(toMongoSort(query.sort));
  const keys = [...new Set([...wanted, ...sorted])];
  const indexes = allIndexesOf(renders.collection).map((paths) => Object.keys(toMongoIndex(paths)).join());
  expect(indexes.some((index) => index.startsWith(`${keys.join()},`))).toBe(true);
});
