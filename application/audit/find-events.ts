import { auditRules, type EventKind, eventTypesOf } from '#contracts/events/audit.ts';
import type { EventType } from '#contracts/events/event-schemas.ts';
import { bareId, readModels, streams, subjectIdOf } from '#contracts/names.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';
import { readInPages } from '#application/command-handling/history.ts';
import { maxReadModelWaitMs } from '#application/command-handling/read-your-writes.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { actorKeyOf, type AuditDocument, positionText } from '#libs/projections/audit.ts';
import type { Query, ReadStore } from '#libs/read-store/port.ts';

/**
 * The position, as text, from which on the account's events are at or after a time (ISO 8601); beyond the last event if
 * all are before it. A binary search, because the event log is in the order of positions, which is that of the times
 * except for differences between the clocks of machines.
 */
const firstPositionAt = async (reads: Pick<ReadStore, 'find'>, accountId: string, time: string): Promise<string> => {
  const at = new Date(time).toISOString();
  const next = async (from: number, descending = false): Promise<AuditDocument | undefined> => {
    const query: Query = {
      where: { accountId },
      range: { by: 'position', from: positionText(from) },
      sort: { by: 'position', descending },
      limit: 1,
    };
    return ((await reads.find(readModels.audit, query)) as AuditDocument[])[0];
  };
  const [first, last] = [await next(0), await next(0, true)];
  if (first === undefined || first.time >= at) return positionText(0);
  if (last!.time < at) return positionText(Number(last!.position) + 1);
  // The event at `before` is before the time. The first event at or after `notBefore` is not.
  let before = Number(first.position);
  let notBefore = Number(last!.position);
  while (notBefore - before > 1) {
    const middle = before + Math.floor((notBefore - before) / 2);
    const found = (await next(middle))!;
    if (found.time < at) before = Number(found.position);
    else notBefore = middle;
  }
  return positionText(notBefore);
};

/**
 * The streams about the thing with this id of the API; none for an unknown form. A render and its webhook delivery belong
 * together.
 */
const streamsOfSubject = (id: string): string[] => {
  const ofRender = bareId('render', id) ?? bareId('job', id);
  if (ofRender) return [streams.render(ofRender), streams.delivery(ofRender)];
  const bare = id.slice(id.indexOf('_') + 1);
  return Object.keys(streams)
    .map((kind) => `${kind}-${bare}`)
    .filter((stream) => subjectIdOf(stream) === id);
};

export type AuditDependencies = { eventLog: Pick<EventLog, 'store'>; reads: ReadStore };

/** `actor` is that of `actorKeyOf`, `subject` an id of the API; times are ISO 8601. */
export type EventFilter = {
  kind?: EventKind | undefined;
  type?: EventType | undefined;
  actor?: string | undefined;
  subject?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
};

/** Positions as text, `from` included and `before` not. */
export type PositionRange = { from?: string | undefined; before?: string | undefined };
export type EventOrder = 'newest' | 'oldest';
/** Where an event is. */
export type EventPlace = Pick<AuditDocument, 'position' | 'stream' | 'revision'>;
/** `next` is the event after which the next page begins; null on the last page. */
export type EventPage = { events: RecordedEvent[]; next: EventPlace | null };

const { audit } = readModels;

/** Waits until the read model has every event that was appended before, but at most `maxReadModelWaitMs`. */
export const waitForAudit = async ({ eventLog, reads }: AuditDependencies): Promise<void> => {
  await reads.waitForCheckpoint(audit, await eventLog.store.head(), maxReadModelWaitMs);
};

/** Where an event of the account is; null if the account has no such event. */
export const findEventDocument = async (
  reads: Pick<ReadStore, 'get'>,
  accountId: string,
  id: string,
): Promise<AuditDocument | null> => {
  const document = (await reads.get(audit, id)) as AuditDocument | null;
  return document?.accountId === accountId ? document : null;
};

/** Reads an event from its stream; null if an older copy of the event log was restored. */
export const readEvent = async (
  { store }: Pick<EventLog, 'store'>,
  { stream, revision }: Pick<EventPlace, 'stream' | 'revision'>,
): Promise<RecordedEvent | null> => (await store.read(stream, revision, 1))[0] ?? null;

/** The range of positions of the account's events in a time range. Each bound takes about 20 reads of an index. */
export const rangeOfTimes = async (
  reads: Pick<ReadStore, 'find'>,
  accountId: string,
  { since, until }: Pick<EventFilter, 'since' | 'until'>,
): Promise<PositionRange> => ({
  from: since === undefined ? undefined : await firstPositionAt(reads, accountId, since),
  before: until === undefined ? undefined : await firstPositionAt(reads, accountId, until),
});

/** The range that is left after the event at a position, in this order. */
const rangeAfter = (range: PositionRange, position: string, order: EventOrder): PositionRange =>
  order === 'newest'
    ? { ...range, before: range.before !== undefined && range.before < position ? range.before : position }
    : { ...range, from: positionText(Math.max(Number(position) + 1, Number(range.from ?? 0))) };

const inOrder =
  (order: EventOrder) =>
  (a: { position: string }, b: { position: string }): number =>
    (a.position < b.position ? -1 : 1) * (order === 'newest' ? -1 : 1);

const typesOf = ({ kind, type }: EventFilter): EventType[] | null => {
  if (type !== undefined) return kind === undefined || auditRules[type].kind === kind ? [type] : [];
  return kind === undefined ? null : eventTypesOf(kind);
};

/** Kinds of which an account has few events, so that their index selects the fewest. */
const rareKinds: ReadonlySet<EventKind | 'installation'> = new Set(['account', 'key', 'person', 'template']);

/** Documents by the index of the account, of one actor, or of event types, which are queried one by one. */
const findDocuments = async (
  reads: Pick<ReadStore, 'find'>,
  accountId: string,
  { types, actor }: { types: readonly EventType[] | null; actor: string | undefined },
  query: Omit<Query, 'where'>,
  order: EventOrder,
): Promise<AuditDocument[]> => {
  const find = (where: Query['where']) => reads.find(audit, { ...query, where: { accountId, ...where } });
  const useTypes = types !== null && (actor === undefined || types.every((one) => rareKinds.has(auditRules[one].kind)));
  if (!useTypes) return (await find(actor === undefined ? {} : { actor })) as AuditDocument[];
  const found = (await Promise.all(types.map((type) => find({ type })))).flat() as AuditDocument[];
  return found.toSorted(inOrder(order)).slice(0, query.limit);
};

const scanLimits = { batchSize: 250, maxScanned: 2_000 };

type DocumentPage = { documents: AuditDocument[]; next: EventPlace | null };

/** A page of documents. Filters that no index has are applied to at most 2,000 documents. */
const findDocumentPage = async (
  reads: Pick<ReadStore, 'find'>,
  accountId: string,
  filter: EventFilter,
  { range, order, limit }: { range: PositionRange; order: EventOrder; limit: number },
): Promise<DocumentPage> => {
  const types = typesOf(filter);
  const { actor } = filter;
  const isScan = types !== null && actor !== undefined;
  const size = isScan ? scanLimits.batchSize : limit + 1;
  const sort = { by: 'position', descending: order === 'newest' };
  const documents: AuditDocument[] = [];
  let rest = range;
  for (let scanned = 0; ; scanned += size) {
    const query = { range: { by: 'position', ...rest }, sort, limit: size };
    const batch = await findDocuments(reads, accountId, { types, actor }, query, order);
    for (const document of batch) {
      if (isScan && !(types.includes(document.type as EventType) && document.actor === actor)) continue;
      if (documents.length === limit) return { documents, next: documents.at(-1)! };
      documents.push(document);
    }
    if (batch.length < size) return { documents, next: null };
    const last = batch.at(-1)!;
    if (scanned + size >= scanLimits.maxScanned) return { documents, next: last };
    rest = rangeAfter(rest, last.position, order);
  }
};

const placeOf = ({ position, stream, revision }: RecordedEvent): EventPlace => ({
  position: positionText(position),
  stream,
  revision,
});

/** A page of the events about one thing, from its streams. */
const findSubjectPage = async (
  { store }: Pick<EventLog, 'store'>,
  accountId: string,
  filter: EventFilter,
  { range, order, limit }: { range: PositionRange; order: EventOrder; limit: number },
): Promise<EventPage> => {
  const types = typesOf(filter);
  const { from = '', before } = range;
  // A later event could be found in one stream and not in another that was read before. It comes with the next request.
  const head = positionText(await store.head());
  const isSelected = ({ type, metadata }: RecordedEvent): boolean => {
    if (metadata.accountId !== accountId || (types !== null && !types.includes(type))) return false;
    return filter.actor === undefined || actorKeyOf(metadata.actor) === filter.actor;
  };
  let found: (EventPlace & { event: RecordedEvent })[] = [];
  for (const stream of streamsOfSubject(filter.subject!))
    for await (const read of readInPages(store, stream)) {
      const selected = read
        .filter(isSelected)
        .map((event) => ({ event, ...placeOf(event) }))
        .filter(({ position }) => position >= from && position <= head && (before === undefined || position < before));
      found = [...found, ...selected].toSorted(inOrder(order)).slice(0, limit + 1);
    }
  const page = found.slice(0, limit);
  return { events: page.map(({ event }) => event), next: found.length > limit ? page.at(-1)! : null };
};

/**
 * A page of an account's events in the order of the event log. `after` is the position of the last event of the page
 * before. One filter takes one index; with several, a page can have fewer events than `limit` although `next` is not
 * null.
 */
export const findEventPage = async (
  { eventLog, reads }: AuditDependencies,
  accountId: string,
  filter: EventFilter,
  page: { range: PositionRange; after: string | null; order: EventOrder; limit: number },
): Promise<EventPage> => {
  const { after, order, limit } = page;
  const range = after === null ? page.range : rangeAfter(page.range, after, order);
  if (filter.subject !== undefined) return findSubjectPage(eventLog, accountId, filter, { range, order, limit });
  const { documents, next } = await findDocumentPage(reads, accountId, filter, { range, order, limit });
  const events = await Promise.all(documents.map((document) => readEvent(eventLog, document)));
  return { events: events.filter((event) => event !== null), next };
};
