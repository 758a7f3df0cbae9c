import type { Document, Query, Scalar, StoredDocument } from './port.ts';

/**
 * A document as MongoDB stores it. Its text is exact, whatever its keys are called; `f` holds what queries find it by.
 * `p` is its position. A removed document stays as `gone`, so that no late write brings it back.
 */
export type MongoDocument = { _id: string; position: number; json?: string; fields?: QueryFields; removed?: true };
type QueryFields = Record<string, Scalar | Record<string, never>>;

/** A label as the name of a field: a sign that means something to the server becomes ~ and its code. */
const fieldName = (label: string): string =>
  label === '' ? '~' : label.replace(/[~.$/\0]/g, (sign) => `~${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

const flatFieldPath = (path: string): string => path.split('.').map(fieldName).join('/');
const mongoFieldPath = (path: string): string => `fields.${flatFieldPath(path)}`;

const valueAt = (document: Document, path: string): unknown =>
  path.split('.').reduce<unknown>((within, label) => (within as Document | null | undefined)?.[label], document);

/** What a document has at each of these paths. An object or a list becomes an empty object, which equals no scalar. */
const queryFieldsOf = (document: Document, paths: readonly string[]): QueryFields => {
  const found = paths.map((path) => [flatFieldPath(path), valueAt(document, path)] as const);
  const defined = found.filter(([, value]) => value !== undefined);
  const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== 'object';
  return Object.fromEntries(defined.map(([name, value]) => [name, isScalar(value) ? value : {}]));
};

/** What MongoDB stores of a document besides its id; `paths` are the fields that queries may name. */
export const toMongoDocument = (
  { document, position }: StoredDocument,
  paths: readonly string[],
): Omit<MongoDocument, '_id'> =>
  document === null
    ? { position, removed: true }
    : { position, json: JSON.stringify(document), fields: queryFieldsOf(document, paths) };

export const fromMongoDocument = ({ json }: Pick<MongoDocument, 'json'>): Document => JSON.parse(json!) as Document;

type MongoCondition = Record<string, unknown>;

/** Only a filter on nothing, or on nothing being there, lets removed documents through. */
const matchesRemoved = (where: Query['where'], hasBounds: boolean): boolean =>
  !hasBounds && Object.values(where).every((value) => value === null);

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
  return { [mongoFieldPath(sort.by)]: direction, _id: direction };
};

/** The index ends with the id, so that a sorted page is read off it without sorting. */
export const toMongoIndex = (paths: readonly string[]): Record<string, 1> => ({
  ...Object.fromEntries(paths.map((path) => [mongoFieldPath(path), 1 as const])),
  _id: 1,
});
