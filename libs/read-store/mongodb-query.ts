import type { Document, Query, Scalar, StoredDocument } from './port.ts';

/**
 * A document as MongoDB stores it. `json` is the whole document as text, because its keys may contain any characters.
 * `fields` has the values that queries use. A removed document stays with `removed`, so that a late write cannot restore
 * it.
 */
export type MongoDocument = { _id: string; position: number; json?: string; fields?: QueryFields; removed?: true };
type QueryFields = Record<string, Scalar | Record<string, never>>;

/** A label as a field name: a character with a meaning for the server becomes ~ and its code. */
const fieldName = (label: string): string =>
  label === ''
    ? '~'
    : label.replace(/[~.$/\0]/g, (character) => `~${character.charCodeAt(0).toString(16).padStart(2, '0')}`);

const flatFieldPath = (path: string): string => path.split('.').map(fieldName).join('/');
const mongoFieldPath = (path: string): string => `fields.${flatFieldPath(path)}`;

const valueAt = (document: Document, path: string): unknown =>
  path.split('.').reduce<unknown>((within, label) => (within as Document | null | undefined)?.[label], document);

/** The values of a document at these paths. An object or array becomes an empty object, which equals no scalar. */
const queryFieldsOf = (document: Document, paths: readonly string[]): QueryFields => {
  const values = paths.map((path) => [flatFieldPath(path), valueAt(document, path)] as const);
  const defined = values.filter(([, value]) => value !== undefined);
  const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== 'object';
  return Object.fromEntries(defined.map(([name, value]) => [name, isScalar(value) ? value : {}]));
};

/** A document as MongoDB stores it, without its id. `paths` are the fields that queries may use. */
export const toMongoDocument = (
  { document, position }: StoredDocument,
  paths: readonly string[],
): Omit<MongoDocument, '_id'> =>
  document === null
    ? { position, removed: true }
    : { position, json: JSON.stringify(document), fields: queryFieldsOf(document, paths) };

/** The document as it was written. Only for documents that are not removed. */
export const fromMongoDocument = ({ json }: Pick<MongoDocument, 'json'>): Document => JSON.parse(json!) as Document;

type MongoCondition = Record<string, unknown>;

/** A filter that is empty or tests only for null would also match removed documents. */
const matchesRemoved = (where: Query['where'], hasBounds: boolean): boolean =>
  !hasBounds && Object.values(where).every((value) => value === null);

/** The filter of a query, which never matches removed documents. */
export const toMongoFilter = (where: Query['where'], range?: Query['range']): MongoCondition => {
  const bounds = {
    ...(range?.from === undefined ? {} : { $gte: range.from }),
    ...(range?.before === undefined ? {} : { $lt: range.before }),
  };
  const hasBounds = Object.keys(bounds).length > 0;
  const conditions: MongoCondition[] = [
    ...Object.entries(where).map(([path, value]) => ({ [mongoFieldPath(path)]: value })),
    ...(hasBounds ? [{ [mongoFieldPath(range!.by)]: bounds }] : []),
    ...(matchesRemoved(where, hasBounds) ? [{ removed: { $exists: false } }] : []),
  ];
  return conditions.length === 1 ? conditions[0]! : { $and: conditions };
};

export const toMongoSort = (sort: Query['sort']): Record<string, 1 | -1> => {
  if (!sort) return { _id: 1 };
  const direction = sort.descending ? -1 : 1;
  return { [mongoFieldPath(sort.by)]: direction, ...(sort.by === 'id' ? {} : { _id: direction }) };
};

/** The index ends with the id, so that reading a sorted page needs no sorting. */
export const toMongoIndex = (paths: readonly string[]): Record<string, 1> => ({
  ...Object.fromEntries(paths.map((path) => [mongoFieldPath(path), 1 as const])),
  _id: 1,
});
