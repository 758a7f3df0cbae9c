import { setImmediate } from 'node:timers/promises';
import { encodeTime } from 'ulid';
import { consumers, readModels, streams, subjects } from '#contracts/names.ts';
import type { Bus, Consumer, Message } from '#libs/bus/port.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Log } from '#application/handling/handle.ts';
import type { Query, ReadStore } from '#libs/read-store/port.ts';
import { publishInTrace } from '#libs/telemetry/messages.ts';

export type PutBackParts = {
  log: Log;
  reads: ReadStore;
  bus: Bus;
  /** The work that an event asks of somebody, as the relay has it. */
  messageOf: (event: RecordedEvent) => Message | null;
  /** What is open for so long, in milliseconds, has perhaps been forgotten by the bus. */
  overdueMs: number;
  /** Ends the work at the next document. */
  signal?: AbortSignal;
};

const pageSize = 500;
/** So many are looked at before others have a turn on the event loop. */
const atOnce = 10;

const renderer: Consumer = { name: consumers.renderer, subject: subjects.renderRequested, leaseMs: 0 };

/** What both kinds of documents have. */
type Open = { id: string };

/** Puts the work of a kind that a callback's or a render's events ask for on the bus once more; the bus knows by the id what it has already. */
const remind = async ({ log, bus, messageOf }: PutBackParts, subject: string, ...from: string[]): Promise<void> => {
  for (const stream of from) {
    const asking = (await log.store.read(stream)).findLast((event) => messageOf(event)?.subject === subject);
    if (asking) return publishInTrace(bus, messageOf(asking)!, asking.metadata.traceparent);
  }
};

const remindAll = async (parts: PutBackParts, subject: string, open: readonly Open[], streamsOf: (id: string) => string[]): Promise<void> => {
  for (const [index, { id }] of open.entries()) {
    if (parts.signal?.aborted) return;
    await remind(parts, subject, ...streamsOf(id));
    if (index % atOnce === atOnce - 1) await setImmediate();
  }
};

/** Visits the documents of a query page by page, those of the greatest age first. `further` says whether a next page is worth it. */
const visit = async ({ reads, signal }: PutBackParts, collection: string, query: Omit<Query, 'limit'>, further: boolean, each: (page: Open[]) => Promise<void>): Promise<void> => {
  for (let skip = 0; ; skip += pageSize) {
    const page = (await reads.find(collection, { ...query, limit: pageSize, skip })) as Open[];
    await each(page);
    if (page.length < pageSize || !further || signal?.aborted) return;
  }
};

/** What is overdue by a field that holds times as `written` puts them. A time that is still to come is that of a clock which was set back since: nothing must wait until then. */
const overdue = ({ log, overdueMs }: PutBackParts, by: string, written: (ms: number) => string) => {
  const now = log.now().getTime();
  return [{ by, before: written(now - overdueMs) }, { by, from: written(now + overdueMs) }];
};

const putBackRenders = async (parts: PutBackParts): Promise<void> => {
  const { bus, reads } = parts;
  const open = (await Promise.all(['QUEUED', 'PROCESSING'].map((status) => reads.count(readModels.renders, { status })))).reduce((sum, count) => sum + count, 0);
  // A long queue is no loss: only where the bus holds fewer than are open is more than the oldest worth looking at.
  const manyLost = (await bus.pending(renderer)) < open;
  for (const range of overdue(parts, 'id', (ms) => encodeTime(ms, 10))) {
    for (const status of ['PROCESSING', 'QUEUED']) {
      await visit(parts, readModels.renders, { where: { status }, range, sort: { by: 'id', descending: false } }, manyLost, (page) =>
        remindAll(parts, subjects.renderRequested, page, (id) => [streams.render(id)]),
      );
    }
  }
};

const putBackCallbacks = async (parts: PutBackParts): Promise<void> => {
  for (const range of overdue(parts, 'requestedAt', (ms) => new Date(ms).toISOString())) {
    for (const status of ['pending', 'sent', 'timeout']) {
      // The latest round was asked for by the callback's own story, or else by the render's end.
      await visit(parts, readModels.deliveries, { where: { status }, range, sort: { by: 'requestedAt', descending: false } }, true, (page) =>
        remindAll(parts, subjects.deliveryDue, page, (id) => [streams.delivery(id), streams.render(id)]),
      );
    }
  }
};

/** Finds renders and callbacks that the log shows as open for long, and puts them back on the bus. */
export const putBack = async (parts: PutBackParts): Promise<void> => {
  await putBackRenders(parts);
  await putBackCallbacks(parts);
};

const lookEveryMs = 500;

/** Puts back all that is open, however young, once the read models show all that is in the log now: for a bus or read models that are built anew. The bus knows what it has already. */
export const putBackAll = async (parts: Omit<PutBackParts, 'overdueMs'>): Promise<void> => {
  const { log, reads, signal } = parts;
  const head = await log.store.head();
  for (const model of [readModels.renders, readModels.deliveries]) while (!signal?.aborted && !(await reads.reached(model, head, lookEveryMs)));
  await putBack({ ...parts, overdueMs: 0 });
};
