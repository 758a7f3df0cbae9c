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
  const withSamePdf = (await reads.find(readModels.renders, {
    where: { 'pdf.sha256': pdf!.sha256 },
    limit: pageSize,
  })) as RenderDocument[];
  return withSamePdf.some(
    (other) => other.id !== id && other.keptUntil !== null && new Date(other.keptUntil) > eventLog.now(),
  );
};

/**
 * Erases one PDF. Returns the position of its PdfErased event. The event comes last, so the next sweep repeats an
 * erasure that a crash interrupted.
 */
const erasePdf = async (dependencies: ErasureDependencies, document: RenderDocument): Promise<number> => {
  if (!(await isKeptByAnotherRender(dependencies, document))) await dependencies.blobs.delete(document.pdf!.sha256);
  const { history, aggregate } = await loadAggregate(dependencies.eventLog, render, streams.render(document.id));
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

/** Erases all PDFs whose time is over. Returns how many. */
export const eraseExpiredPdfs = async (dependencies: ErasureDependencies): Promise<number> => {
  const { eventLog, reads } = dependencies;
  const range = { by: 'keptUntil', before: eventLog.now().toISOString() };
  for (let erased = 0; ;) {
    const expired = (await reads.find(readModels.renders, {
      where: {},
      range,
      sort: { by: 'keptUntil', descending: false },
      limit: pageSize,
    })) as RenderDocument[];
    let position = 0;
    for (let from = 0; from < expired.length; from += eraseConcurrency)
      position = Math.max(
        position,
        ...(await Promise.all(
          expired.slice(from, from + eraseConcurrency).map((document) => erasePdf(dependencies, document)),
        )),
      );
    erased += expired.length;
    // The next page is read when this one has left the read model. If that takes long, the next sweep continues.
    if (expired.length < pageSize || !(await reads.waitForCheckpoint(readModels.renders, position, readModelTimeoutMs)))
      return erased;
  }
};

/** Only crashes leave targets here, because the delivery worker erases them itself. More wait for the next sweep. */
const maxTargetsPerSweep = 500;

/** Erases the sealed webhook targets of deliveries that have ended. */
export const eraseDeliveryTargets = async ({ eventLog, reads, blobs }: ErasureDependencies): Promise<void> => {
  const range = { by: 'erasableSince', before: eventLog.now().toISOString() };
  const erasable = (await reads.find(readModels.deliveries, {
    where: {},
    range,
    sort: { by: 'erasableSince', descending: false },
    limit: maxTargetsPerSweep,
  })) as DeliveryDocument[];
  for (const { id } of erasable) {
    const { history, aggregate } = await loadAggregate(eventLog, delivery, streams.delivery(id));
    await eraseTarget(blobs, aggregate, causedBy(history.at(-1)!, 'sweeper'));
  }
};
