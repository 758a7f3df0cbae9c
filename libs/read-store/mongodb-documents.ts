import type { Document, Query, Scalar } from './port.ts';

/**
 * How a document lies in its collection. Its text is exact, whatever its keys are called; `f` holds what it is found by, for queries alone.
 * `p` is the position it is at: a write from further back changes nothing. A removed document stays as `gone`, so that no late write brings it back.
 */
export type Stored = { _id: string; p: number; json?: string; f?: Fields; gone?: true };
export type Fields = Record<string, Scalar | Record<string, never>>;

/** Where the ledger lies, and beside it the documents of all collections that are `together`; each of the others has `documents.` before its name. */
export const sharedCollection = 'documents';

/** What one step makes of one document; `collection` and `id` as the server calls them, `json` null where the document is removed, and `fields` what it is found by. */
export type Entry = { collection: string; id: string; json: string | null; fields?: Fields };

/** A label as the name of a field: what means something to the server, or to a path, becomes ~ and its code. */
export const fieldName = (label: string): string => (label === '' ? '~' : label.replace(/[~.$/\0]/g, (sign) => `~${sign.charCodeAt(0).toString(16).padStart(2, '0')}`));

const nameWithin = (path: string): string => path.split('.').map(fieldName).join('/');
const nameOf = (path: string): string => `f.${nameWithin(path)}`;

const valueAt = (document: Document, path: string): unknown => path.split('.').reduce<unknown>((within, label) => (within as Document | null | undefined)?.[label], document);

/** What a document has at each of these paths. An object or a list stands as an empty object: there is something, and it equals no scalar. */
export const fieldsOf = (document: Document, paths: readonly string[]): Fields => {
  const found = paths.map((path) => [nameWithin(path), valueAt(document, path)] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(found.map(([name, value]) => [name, value !== null && typeof value === 'object' ? {} : (value as Scalar)]));
};

/** An entry as it lies in its collection. */
const storedOf = ({ id, json, fields = {} }: Entry, to: number): Stored => (json === null ? { _id: id, p: to, gone: true } : { _id: id, p: to, json, f: fields });

/** An entry as a write that happens only where the document is further back than `to`. */
export const writeOf = (entry: Entry, to: number) => {
  const { _id, ...replacement } = storedOf(entry, to);
  return { replaceOne: { filter: { _id, p: { $lt: to } }, replacement, upsert: true } };
};

type Condition = Record<string, unknown>;

/** The ids that begin with a prefix, which ends with a slash. */
export const idsWithin = (prefix: string): { $gte: string; $lt: string } => ({ $gte: prefix, $lt: `${prefix.slice(0, -1)}0` });

/** Only a filter on nothing, or on nothing being there, lets removed documents through. */
const seesRemoved = (where: Query['where'], range: Query['range']): boolean => !range && Object.values(where).every((value) => value === null);

export const filterOf = (prefix: string, where: Query['where'], range?: Query['range']): Condition => {
  const bounds = { ...(range?.from === undefined ? {} : { $gte: range.from }), ...(range?.before === undefined ? {} : { $lt: range.before }) };
  const hasBounds = Object.keys(bounds).length > 0;
  const conditions: Condition[] = [
    ...(prefix === '' ? [] : [{ _id: idsWithin(prefix) }]),
    ...Object.entries(where).map(([path, value]) => ({ [nameOf(path)]: value })),
    ...(hasBounds ? [{ [nameOf(range!.by)]: bounds }] : []),
    ...(seesRemoved(where, hasBounds ? range : undefined) ? [{ gone: { $exists: false } }] : []),
  ];
  return conditions.length === 1 ? conditions[0]! : { $and: conditions };
};

export const orderOf = (sort: Query['sort']): Record<string, 1 | -1> => {
  if (!sort) return { _id: 1 };
  const direction = sort.descending ? -1 : 1;
  return { [nameOf(sort.by)]: direction, _id: direction };
};

/** The index ends with the id, so that a sorted page is read off it without sorting. */
export const indexOf = (paths: readonly string[]): Record<string, 1> => ({ ...Object.fromEntries(paths.map((path) => [nameOf(path), 1 as const])), _id: 1 });
