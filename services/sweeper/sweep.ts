import { readModels, streams } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Bus, Message } from '#libs/bus/port.ts';
import { render } from '#libs/domain/render.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { load, type Log } from '#libs/handling/handle.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

export type SweeperParts = {
  log: Log;
  reads: ReadStore;
  blobs: BlobStore;
  bus: Bus;
  /** The work that an event asks of somebody, as the relay has it. */
  messageOf: (event: RecordedEvent) => Message | null;
};

/** What is open for so long has perhaps been forgotten by the bus. */
const overdueMs = 60_000;
const atOnce = 500;

/** Puts the work that a stream's events ask for on the bus once more; the bus knows by the id what it has already. */
const remind = async ({ log, bus, messageOf }: SweeperParts, stream: string): Promise<void> => {
  const asking = (await log.store.read(stream)).findLast((event) => messageOf(event) !== null);
  if (asking) await bus.publish(messageOf(asking)!);
};

const overdue = (parts: SweeperParts, collection: string, status: string, by: string) =>
  parts.reads.find(collection, {
    where: { status },
    range: { by, before: new Date(parts.log.now().getTime() - overdueMs).toISOString() },
    sort: { by, descending: false },
    limit: atOnce,
  });

/** Finds renders and callbacks that the log shows as open for long, and puts them back on the bus. */
export const putBack = async (parts: SweeperParts): Promise<void> => {
  for (const status of ['QUEUED', 'PROCESSING']) {
    for (const { id } of (await overdue(parts, readModels.renders, status, 'createdAt')) as RenderDocument[]) await remind(parts, streams.render(id));
  }
  for (const status of ['pending', 'sent', 'timeout']) {
    for (const { id } of (await overdue(parts, readModels.deliveries, status, 'requestedAt')) as DeliveryDocument[]) {
      // The latest round was asked for by the callback's own story, or else by the render's end.
      const redelivery = (await parts.log.store.read(streams.delivery(id))).findLast((event) => parts.messageOf(event) !== null);
      if (redelivery) await parts.bus.publish(parts.messageOf(redelivery)!);
      else await remind(parts, streams.render(id));
    }
  }
};

const isSharedUntilLater = async ({ reads, log }: SweeperParts, { id, pdf }: RenderDocument): Promise<boolean> => {
  const same = (await reads.find(readModels.renders, { where: { 'pdf.sha256': pdf!.sha256 }, limit: atOnce })) as RenderDocument[];
  return same.some((other) => other.id !== id && other.keptUntil !== null && new Date(other.keptUntil) > log.now());
};

/** Erases PDFs whose hour is over; answers with how many. What a crash leaves half done is done at the next sweep: the event comes last. */
export const erasePdfs = async (parts: SweeperParts): Promise<number> => {
  const { log, reads, blobs } = parts;
  const now = log.now().toISOString();
  const over = (await reads.find(readModels.renders, { where: {}, range: { by: 'keptUntil', before: now }, sort: { by: 'keptUntil', descending: false }, limit: atOnce })) as RenderDocument[];
  for (const document of over) {
    if (!(await isSharedUntilLater(parts, document))) await blobs.delete(document.pdf!.sha256);
    const { history, aggregate } = await load(log, render, streams.render(document.id));
    const { metadata } = history[0]!;
    await aggregate.execute(
      { type: 'erasePdf' },
      { actor: { kind: 'service', name: 'sweeper' }, accountId: metadata.accountId, correlationId: metadata.correlationId, causationId: history.at(-1)!.id, traceparent: null },
    );
  }
  return over.length;
};
