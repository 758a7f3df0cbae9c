import { setImmediate } from 'node:timers/promises';
import { encodeTime } from 'ulid';
import { bareId, readModels } from '#contracts/names.ts';
import { type RenderDocument, renderFieldsIndex } from '#libs/projections/renders.ts';
import type { ReadStore, Scalar } from '#libs/read-store/port.ts';

const { renders } = readModels;

/** Values of fields of the renders' documents. */
export type RenderFilter = Partial<
  Record<'kind' | 'status' | 'source.mode' | 'sourceKey' | 'requester' | 'errorCode', string>
>;

/** `cursor` is `next_cursor` of the page before, an id with the prefix `cursorPrefix`; times are ISO 8601. */
export type RenderListOptions = {
  cursorPrefix: 'render' | 'job';
  since?: string | undefined;
  until?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};
/** `next` is the bare id after which the next page begins; null on the last page. */
export type RenderListPage = { documents: RenderDocument[]; next: string | null };

/** The smallest possible id of a render created at this time: ids begin with the time in milliseconds. */
export const lowestIdAt = (time: string | number): string =>
  encodeTime(Math.max(0, typeof time === 'number' ? time : Date.parse(time)), 10) + '0'.repeat(16);

/** The first of these ids by time; undefined if all are undefined. */
export const smallestId = (...ids: (string | undefined)[]): string | undefined =>
  ids.filter((id) => id !== undefined).toSorted()[0];

const statusIndexes: (keyof RenderFilter)[][] = [['kind', 'status'], ['status']];
const otherIndexes: (keyof RenderFilter)[][] = [['sourceKey'], ['requester']];

/**
 * The fields of the index of the read model that selects the fewest renders. Each index also has the account before
 * these fields and the id after them. Most renders are DONE.
 */
const indexFor = (filter: RenderFilter): (keyof RenderFilter)[] => {
  const [first, second] = filter.status === 'DONE' ? [otherIndexes, statusIndexes] : [statusIndexes, otherIndexes];
  const indexes: (keyof RenderFilter)[][] = [['errorCode'], ...first, ...second, ['source.mode'], ['kind'], []];
  return indexes.find((index) => index.every((field) => filter[field] !== undefined))!;
};

/** Renders that one index selects, of which a combination of filters is read first. */
const maxSelected = 250;
/**
 * If an index selects more: how many renders of the account are scanned in one step, with other work in between, and
 * for one page.
 */
const scanLimits = { step: 50_000, maxScanned: 200_000 };

const valueOf = (document: RenderDocument, field: keyof RenderFilter): Scalar | undefined =>
  field === 'source.mode' ? document.source.mode : document[field];

const newestFirst = { by: 'id', descending: true };

type Range = { from?: string | undefined; before?: string | undefined };

/**
 * The ids of an account's renders with these values, newest first, from an index with all fields. `next` is the id
 * before which the search goes on; null at the end.
 */
export const scanRenders = async (
  reads: ReadStore,
  where: { accountId: string } & Readonly<Record<string, string>>,
  { from, before: start }: Range,
  limit: number,
): Promise<{ ids: string[]; next: string | null }> => {
  const query = { sort: newestFirst, index: renderFieldsIndex };
  const ids: string[] = [];
  let before = start;
  for (let scanned = 0; scanned < scanLimits.maxScanned; scanned += scanLimits.step) {
    const [end] = await reads.findIds(renders, {
      ...query,
      where: { accountId: where.accountId },
      range: { by: 'id', from, before },
      limit: 1,
      skip: scanLimits.step - 1,
    });
    const range = { by: 'id', from: end ?? from, before };
    ids.push(...(await reads.findIds(renders, { ...query, where, range, limit: limit - ids.length })));
    if (ids.length >= limit) return { ids, next: ids.at(-1)! };
    if (end === undefined) return { ids, next: null };
    before = end;
    await setImmediate();
  }
  return { ids, next: before! };
};

const readInOrder = async (reads: ReadStore, ids: readonly string[]): Promise<RenderDocument[]> =>
  ((await reads.getMany(renders, ids)) as RenderDocument[]).toSorted((a, b) => (a.id < b.id ? 1 : -1));

type Selection = { documents: RenderDocument[]; last: string | undefined; isAll: boolean };

const matchesOf = (filter: RenderFilter, indexed: readonly (keyof RenderFilter)[]) => {
  const others = (Object.keys(filter) as (keyof RenderFilter)[]).filter((field) => !indexed.includes(field));
  return { others, matches: (one: RenderDocument) => others.every((field) => valueOf(one, field) === filter[field]) };
};

/** All renders that a combination of filters selects, if one of the filters alone selects few; else null. */
const readRare = async (
  reads: ReadStore,
  accountId: string,
  filter: RenderFilter,
  range: Range,
): Promise<Selection | null> => {
  for (const field of Object.keys(filter) as (keyof RenderFilter)[]) {
    const ids = await reads.findIds(renders, {
      where: { accountId, [field]: filter[field]! },
      range: { by: 'id', ...range },
      sort: newestFirst,
      limit: maxSelected,
      index: ['accountId', field, 'id'],
    });
    if (ids.length === maxSelected) continue;
    const documents = await readInOrder(reads, ids);
    return { documents: documents.filter(matchesOf(filter, [field]).matches), last: undefined, isAll: true };
  }
  return null;
};

/** The renders that one index selects for a filter, newest first; `isAll` says whether there are no others. */
const readSelected = async (
  reads: ReadStore,
  accountId: string,
  filter: RenderFilter,
  range: Range,
  size: number,
): Promise<Selection> => {
  const indexed = indexFor(filter);
  const { others, matches } = matchesOf(filter, indexed);
  const rare = others.length === 0 ? null : await readRare(reads, accountId, filter, range);
  if (rare) return rare;
  const where = { accountId, ...Object.fromEntries(indexed.map((field) => [field, filter[field]!])) };
  const limit = others.length === 0 ? size : maxSelected;
  const selected = (await reads.find(renders, {
    where,
    range: { by: 'id', ...range },
    sort: newestFirst,
    limit,
  })) as RenderDocument[];
  return {
    documents: selected.filter(matches),
    last: selected.at(-1)?.id,
    isAll: others.length === 0 || selected.length < limit,
  };
};

/**
 * A page of an account's renders, newest first. One filter, or `kind` with `status`, takes one query with an index. For
 * other combinations, a filter that selects few renders is looked for. Without one, the first renders that the most
 * selective filter selects are read; if these are not enough, the following renders of the account are looked up in an
 * index with all fields, at most 200,000: such a page can have fewer renders than `limit` although `next` is not null.
 */
export const findRenderListPage = async (
  reads: ReadStore,
  accountId: string,
  filter: RenderFilter,
  { cursorPrefix, since, until, cursor, limit }: RenderListOptions,
): Promise<RenderListPage> => {
  const from = since && lowestIdAt(since);
  const before = smallestId(until && lowestIdAt(until), cursor && bareId(cursorPrefix, cursor));
  const { documents, last, isAll } = await readSelected(reads, accountId, filter, { from, before }, limit + 1);
  if (documents.length > limit) return { documents: documents.slice(0, limit), next: documents[limit - 1]!.id };
  if (isAll) return { documents, next: null };
  const missing = limit - documents.length;
  if (missing === 0) return { documents, next: documents.at(-1)!.id };
  const { ids, next } = await scanRenders(reads, { accountId, ...filter }, { from, before: last }, missing);
  return { documents: [...documents, ...(await readInOrder(reads, ids))], next };
};
