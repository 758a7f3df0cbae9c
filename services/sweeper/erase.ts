import { eraseTarget } from '#application/deliveries/target.ts';
import { causedBy, load, type Log } from '#application/handling/handle.ts';
import { readModels, streams } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { delivery } from '#libs/domain/delivery.ts';
import { render } from '#libs/domain/render.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

export type ErasureParts = { log: Log; reads: ReadStore; blobs: BlobStore };

const pageSize = 500;
const atOnce = 20;
const longestWaitMs = 5_000;

const isSharedUntilLater = async ({ reads, log }: ErasureParts, { id, pdf }: RenderDocument): Promise<boolean> => {
  const same = (await reads.find(readModels.renders, { where: { 'pdf.sha256': pdf!.sha256 }, limit: pageSize })) as RenderDocument[];
  return same.some((other) => other.id !== id && other.keptUntil !== null && new Date(other.keptUntil) > log.now());
};

/** Erases one PDF, and answers with the position of the event that says so. What a crash leaves half done is done at the next sweep: the event comes last. */
const erase = async (parts: ErasureParts, document: RenderDocument): Promise<number> => {
  if (!(await isSharedUntilLater(parts, document))) await parts.blobs.delete(document.pdf!.sha256);
  const { history, aggregate } = await load(parts.log, render, streams.render(document.id));
  const { accountId, correlationId, traceparent } = history[0]!.metadata;
  const cause = { actor: { kind: 'service' as const, name: 'sweeper' }, accountId, correlationId, causationId: history.at(-1)!.id, traceparent };
  const { position } = await aggregate.execute({ type: 'erasePdf' }, cause);
  return position ?? history.at(-1)!.position;
};

/** Erases the PDFs whose hour is over, all of them; answers with how many. */
export const erasePdfs = async (parts: ErasureParts): Promise<number> => {
  const { log, reads } = parts;
  const range = { by: 'keptUntil', before: log.now().toISOString() };
  for (let erased = 0; ; ) {
    const over = (await reads.find(readModels.renders, { where: {}, range, sort: { by: 'keptUntil', descending: false }, limit: pageSize })) as RenderDocument[];
    let position = 0;
    for (let from = 0; from < over.length; from += atOnce) position = Math.max(position, ...(await Promise.all(over.slice(from, from + atOnce).map((document) => erase(parts, document)))));
    erased += over.length;
    // The next page is read when this one has left the read model; where that takes long, the next sweep goes on.
    if (over.length < pageSize || !(await reads.reached(readModels.renders, position, longestWaitMs))) return erased;
  }
};

/** More wait for the next sweep: the delivery worker erases them itself, so that these are what a crash left. */
const atMost = 500;

/** Erases the sealed boxes of deliveries that have ended. */
export const eraseTargets = async ({ log, reads, blobs }: ErasureParts): Promise<void> => {
  const range = { by: 'erasableSince', before: log.now().toISOString() };
  const left = (await reads.find(readModels.deliveries, { where: {}, range, sort: { by: 'erasableSince', descending: false }, limit: atMost })) as DeliveryDocument[];
  for (const { id } of left) {
    const { history, aggregate } = await load(log, delivery, streams.delivery(id));
    await eraseTarget(blobs, aggregate, causedBy(history.at(-1)!, 'sweeper'));
  }
};
