import type { Collection, IdQuery, Query, Scalar } from './port.ts';

type Sql = { sql: string; parameters: (string | number | null)[] };

const quotedIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** The quoted table name of a collection. The table has the documents of all generations. */
export const tableOf = (collection: string): string => quotedIdentifier(`collection_${collection}`);

const jsonPath = (path: string): string => {
  if (path.includes('"')) throw new RangeError(`field path contains a double quote: ${path}`);
  const labels = path.split('.').map((label) => `."${label}"`);
  return `'$${labels.join('').replaceAll("'", "''")}'`;
};
const fieldExpression = (path: string): string => `document ->> ${jsonPath(path)}`;

// To SQLite, true equals 1, and an object equals its text. So the JSON type is compared, too.
const jsonTypesOf = (value: Exclude<Scalar, null>): string => {
  switch (typeof value) {
    case 'boolean':
      return value ? "'true'" : "'false'";
    case 'number':
      return "'integer', 'real'";
    default:
      return "'text'";
  }
};

const equalityCondition = ([path, value]: [string, Scalar]): Sql => {
  if (value === null) return { sql: `${fieldExpression(path)} IS NULL`, parameters: [] };
  // Text that cannot be an object or array needs no type check: then the index alone is enough for a count.
  if (typeof value === 'string' && !/^[[{]/.test(value))
    return { sql: `${fieldExpression(path)} = ?`, parameters: [value] };
  return {
    sql: `${fieldExpression(path)} = ? AND json_type(document, ${jsonPath(path)}) IN (${jsonTypesOf(value)})`,
    parameters: [typeof value === 'boolean' ? Number(value) : value],
  };
};

const rangeConditions = ({ by, from, before }: NonNullable<Query['range']>): Sql[] => {
  // An id is text. Without a check of the JSON type, an index is enough to find ids.
  const typeCondition = by === 'id' ? '' : ` AND json_type(document, ${jsonPath(by)}) = 'text'`;
  const bound = (comparison: string, value: string | undefined): Sql[] =>
    value === undefined
      ? []
      : [
          {
            sql: `${fieldExpression(by)} ${comparison} ?${typeCondition}`,
            parameters: [value],
          },
        ];
  return [...bound('>=', from), ...bound('<', before)];
};

/** A filter that is empty or tests only for null would also match removed documents. */
const matchesRemoved = (where: Query['where'], range: Query['range']): boolean =>
  range?.from === undefined && range?.before === undefined && Object.values(where).every((value) => value === null);

const whereClause = (generation: string, where: Query['where'], range?: Query['range']): Sql => {
  const conditions: Sql[] = [
    { sql: 'generation = ?', parameters: [generation] },
    ...Object.entries(where).map(equalityCondition),
    ...(range ? rangeConditions(range) : []),
    ...(matchesRemoved(where, range) ? [{ sql: 'document IS NOT NULL', parameters: [] }] : []),
  ];
  return {
    sql: ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
};

const orderByClause = (sort: Query['sort']): string => {
  if (!sort) return 'id';
  const direction = sort.descending ? 'DESC' : 'ASC';
  const field = `${fieldExpression(sort.by)} ${direction}`;
  return sort.by === 'id' ? field : `${field}, id ${direction}`;
};

const selectSql = (columnAndTable: string, generation: string, query: Query): Sql => {
  const { where, range, sort, limit, skip = 0 } = query;
  const { sql, parameters } = whereClause(generation, where, range);
  return {
    sql: `SELECT ${columnAndTable}${sql} ORDER BY ${orderByClause(sort)} LIMIT ? OFFSET ?`,
    parameters: [...parameters, limit, skip],
  };
};

/** A query as a SELECT of documents. */
export const findSql = (collection: string, generation: string, query: Query): Sql =>
  selectSql(`document FROM ${tableOf(collection)}`, generation, query);

/** The documents with the ids in a JSON array: the generation, then the array. */
export const readManySql = (collection: string): string =>
  `SELECT document FROM ${tableOf(collection)} WHERE generation = ? AND document IS NOT NULL ` +
  'AND id IN (SELECT value FROM json_each(?))';

/** The number of documents that match a filter, in the column `n`. */
export const countSql = (collection: string, generation: string, where: Query['where']): Sql => {
  const { sql, parameters } = whereClause(generation, where);
  return { sql: `SELECT count(*) AS n FROM ${tableOf(collection)}${sql}`, parameters };
};

const tableSql = (collection: string): string =>
  `CREATE TABLE IF NOT EXISTS ${tableOf(collection)} (generation TEXT NOT NULL, id TEXT NOT NULL, ` +
  `position INTEGER NOT NULL, document TEXT, PRIMARY KEY (generation, id)) STRICT`;

const indexNameOf = (collection: string, paths: readonly string[]): string =>
  quotedIdentifier(`${collection} by ${paths.join(', ')}`);

/** A query as a SELECT of ids from its index alone. */
export const findIdsSql = (collection: string, generation: string, { index, ...query }: IdQuery): Sql =>
  selectSql(`id FROM ${tableOf(collection)} INDEXED BY ${indexNameOf(collection, index)}`, generation, query);

/** An index of a collection. It ends with the id, so that reading a sorted page needs no sorting. */
const indexSql = (collection: string, paths: readonly string[]): string =>
  `CREATE INDEX IF NOT EXISTS ${indexNameOf(collection, paths)} ` +
  `ON ${tableOf(collection)} (generation, ${paths.map(fieldExpression).join(', ')}, id)`;

/** The statements that create the table of a collection and its indexes, if they are missing. */
export const schemaOf = ({ name, indexes, sparseIndexes = {} }: Collection): string[] => [
  tableSql(name),
  ...indexes.map((paths) => indexSql(name, paths)),
  ...Object.entries(sparseIndexes).flatMap(([field, sparse]) =>
    sparse.map((paths) => `${indexSql(name, paths)} WHERE ${fieldExpression(field)} IS NOT NULL`),
  ),
];

const upsertSql = (collection: string, condition: string): string =>
  `INSERT INTO ${tableOf(collection)} VALUES (?1, ?2, ?3, ?4) ON CONFLICT (generation, id) DO UPDATE ` +
  `SET position = excluded.position, document = excluded.document WHERE ${condition}`;

/** Writes a document (generation, id, position, text) if the stored one has an older position. */
export const writeSql = (collection: string): string => upsertSql(collection, 'position < excluded.position');

/** Writes a document with the parameters of `writeSql` if none is stored, or one at position 0. */
export const insertSql = (collection: string): string => upsertSql(collection, 'position = 0');

/** Writes a document with the parameters of `writeSql` if the stored one has the position in the fifth parameter. */
export const replaceSql = (collection: string): string =>
  `UPDATE ${tableOf(collection)} SET position = ?3, document = ?4 WHERE generation = ?1 AND id = ?2 AND position = ?5`;

/** The generations of a collection. Needs one index lookup per generation. */
export const generationsSql = (collection: string): string => {
  const next = (condition: string): string => `SELECT min(generation) FROM ${tableOf(collection)}${condition}`;
  return (
    `WITH RECURSIVE found(name) AS (${next('')} UNION ALL SELECT (${next(' WHERE generation > name')}) FROM found ` +
    `WHERE name IS NOT NULL) SELECT name FROM found WHERE name IS NOT NULL`
  );
};
