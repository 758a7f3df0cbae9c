import type { DeliveryEvent } from '#contracts/events/delivery.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { type DeliveryCommand, type DeliveryState, sealedBoxOf } from '#libs/domain/delivery.ts';
import type { Aggregate, Cause } from '#application/handling/handle.ts';

/**
 * Erases the sealed box of a delivery that has ended, and answers with the position of the event that says so; null where there is nothing to erase. The event comes
 * last: the sweeper finds what a crash left half done.
 */
export const eraseTarget = async (blobs: Pick<BlobStore, 'delete'>, delivery: Aggregate<DeliveryState, DeliveryCommand, DeliveryEvent>, cause: Cause): Promise<number | null> => {
  const sha256 = sealedBoxOf(delivery.state);
  if (delivery.state.status !== 'ENDED' || sha256 === null) return null;
  await blobs.delete(sha256);
  return (await delivery.execute({ type: 'eraseTarget', sha256 }, cause)).position;
};
