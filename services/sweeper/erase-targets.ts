import { readModels, streams } from '#contracts/names.ts';
import { delivery } from '#libs/domain/delivery.ts';
import { causedBy } from '#application/handling/caused-by.ts';
import { load } from '#application/handling/handle.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import { eraseTarget } from '#application/deliveries/erase-target.ts';
import type { ErasureParts } from './erase-pdfs.ts';

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
