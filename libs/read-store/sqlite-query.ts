import type { Query, Scalar } from './port.ts';

type Sql = { sql: string; parameters: (string | number | null)[] };

/** A name that stands in SQL between double quotes. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** The table of a collection, quoted. */
export const tableOf = (collection: string): string => quoted(`documents_${collection}`);

const jsonPath = (path: string): string => {
  if (path.includes('"')) throw new RangeError(`a field's path holds a double quote: ${path}`);
  const labels = path.split('.').map((label) => `."${label}"`);
  return `'$${labels.join('').replaceAll("'", "''")}'`;
};
const fieldOf = (path: string): string => `document ->> ${jsonPath(path)}`;

// true and 1 are the same to SQLite, and so are an object and its text: the type tells them apart.
const typesOf = (value: Exclude<Scalar, null>): string => {
  switch (typeof value) {
    case 'boolean':
      return value ? "'true'" : "'false'";
    case 'number':
      return "'integer', 'real'";
    default:
      return "'text'";
  }
};

const conditionOf = ([path, value]: [string, Scalar]): Sql =>
  value === null
    ? { sql: `${fieldOf(path)} IS NULL`, parameters: [] }
    : {
        sql: `${fieldOf(path)} = ? AND json_type(document, ${jsonPath(path)}) IN (${typesOf(value)})`,
        parameters: [typeof value === 'boolean' ? Number(value) : value],
      };

const boundsOf = ({ by, from, before }: NonNullable<Query['range']>): Sql[] => {
  const bound = (comparison: string, value: string | undefined): Sql[] =>
    value === undefined ? [] : [{ sql: `${fieldOf(by)} ${comparison} ? AND json_type(document, ${jsonPath(by)}) = 'text'`, parameters: [value] }];
  return [...bound('>=', from), ...bound('<', before)];
};

const whereOf = (where: Query['where'], range?: Query['range']): Sql => {
  const conditions = [...Object.entries(where).map(conditionOf), ...(range ? boundsOf(range) : [])];
  return {
    sql: conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
};

const orderOf = (sort: Query['sort']): string => {
  if (!sort) return 'id';
  const direction = sort.descending ? 'DESC' : 'ASC';
  return `${fieldOf(sort.by)} ${direction}, id ${direction}`;
};

/** A query as a SELECT of documents. */
export const findSql = (collection: string, { where, range, sort, limit, skip = 0 }: Query): Sql => {
  const { sql, parameters } = whereOf(where, range);
  return { sql: `SELECT document FROM ${tableOf(collection)}${sql} ORDER BY ${orderOf(sort)} LIMIT ? OFFSET ?`, parameters: [...parameters, limit, skip] };
};

/** The number of documents that a filter lets through, as `n`. */
export const countSql = (collection: string, where: Query['where']): Sql => {
  const { sql, parameters } = whereOf(where);
  return { sql: `SELECT count(*) AS n FROM ${tableOf(collection)}${sql}`, parameters };
};

/**
 * An index: what it is on, and the statement that makes it. It ends with the id, so that a sorted page is read off it without sorting.
 * The name tells nothing reliable: a table that was built beside the one that served has brought its indexes along under the names they had there.
 */
export const indexSql = (collection: string, paths: readonly string[]): { on: string; sql: string } => {
  const on = `ON ${tableOf(collection)} (${paths.map(fieldOf).join(', ')}, id)`;
  return { on, sql: `CREATE INDEX IF NOT EXISTS ${quoted(`${collection} by ${paths.join(', ')}`)} ${on}` };
};
