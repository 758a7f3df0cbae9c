import { eraseTarget } from '#application/deliveries/target.ts';
import { causedBy, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { readModels, streams } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { delivery } from '#libs/domain/delivery.ts';
import { render } from '#libs/domain/render.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

export type ErasureDependencies = { eventLog: EventLog; reads: ReadStore; blobs: BlobStore };

const pageSize = 500;
const eraseConcurrency = 20;
const readModelTimeoutMs = 5_000;

const isKeptByAnotherRender = async (
  { reads, eventLog }: ErasureDependencies,
  { id, pdf }: RenderDocument,
): Promise<boolean> => {
  const same = (await reads.find(readModels.renders, {
    where: { 'pdf.sha256': pdf!.sha256 },
    limit: pageSize,
  })) as RenderDocument[];
  return same.some(
    (other) => other.id !== id && other.keptUntil !== null && new Date(other.keptUntil) > eventLog.now(),
  );
};

/** Erases one PDF, and answers with the position of the event that says so. What a crash leaves half done is done at the next sweep: the event comes last. */
const erasePdf = async (parts: ErasureDependencies, document: RenderDocument): Promise<number> => {
  if (!(await isKeptByAnotherRender(parts, document))) await parts.blobs.delete(document.pdf!.sha256);
  const { history, aggregate } = await loadAggregate(parts.eventLog, render, streams.render(document.id));
  const { accountId, correlationId, traceparent } = history[0]!.metadata;
  const cause = {
    actor: { kind: 'service' as const, name: 'sweeper' },
    accountId,
    correlationId,
    causationId: history.at(-1)!.id,
    traceparent,
  };
  const { position } = await aggregate.execute({ type: 'erasePdf' }, cause);
  return position ?? history.at(-1)!.position;
};

/** Erases the PDFs whose hour is over, all of them; answers with how many. */
export const eraseExpiredPdfs = async (parts: ErasureDependencies): Promise<number> => {
  const { eventLog, reads } = parts;
  const range = { by: 'keptUntil', before: eventLog.now().toISOString() };
  for (let erased = 0; ;) {
    const over = (await reads.find(readModels.renders, {
      where: {},
      range,
      sort: { by: 'keptUntil', descending: false },
      limit: pageSize,
    })) as RenderDocument[];
    let position = 0;
    for (let from = 0; from < over.length; from += eraseConcurrency)
      position = Math.max(
        position,
        ...(await Promise.all(over.slice(from, from + eraseConcurrency).map((document) => erasePdf(parts, document)))),
      );
    erased += over.length;
    // The next page is read when this one has left the read model; where that takes long, the next sweep goes on.
    if (over.length < pageSize || !(await reads.waitForCheckpoint(readModels.renders, position, readModelTimeoutMs)))
      return erased;
  }
};

/** More wait for the next sweep: the delivery worker erases them itself, so that these are what a crash left. */
const maxTargetsPerSweep = 500;

/** Erases the sealed boxes of deliveries that have ended. */
export const eraseDeliveryTargets = async ({ eventLog, reads, blobs }: ErasureDependencies): Promise<void> => {
  const range = { by: 'erasableSince', before: eventLog.now().toISOString() };
  const left = (await reads.find(readModels.deliveries, {
    where: {},
    range,
    sort: { by: 'erasableSince', descending: false },
    limit: maxTargetsPerSweep,
  })) as DeliveryDocument[];
  for (const { id } of left) {
    const { history, aggregate } = await loadAggregate(eventLog, delivery, streams.delivery(id));
    await eraseTarget(blobs, aggregate, causedBy(history.at(-1)!, 'sweeper'));
  }
};
