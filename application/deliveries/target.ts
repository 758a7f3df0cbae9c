import type { Aggregate, Cause } from '#application/command-handling/aggregate.ts';
import type { DeliveryEvent } from '#contracts/events/delivery.ts';
import type { WebhookTarget } from '#contracts/events/webhook-target.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import { type DeliveryCommand, type DeliveryState, sealedBoxHash } from '#libs/domain/delivery.ts';
import { mask, maskUrl } from '#libs/domain/webhook-url.ts';
import { seal, type SealDependencies, unseal } from '#libs/secrets/sealed-box.ts';

/** A webhook target with its secrets. */
export type PlaintextTarget = { url: string; method: WebhookTarget['method']; headers: Record<string, string> };

/** The content of the sealed box. */
type SealedContent = Pick<PlaintextTarget, 'url' | 'headers'>;

/**
 * Masks a target for the event log. If it has secrets, stores them in a sealed box in the blob store. `id` is the bare
 * id of its render.
 */
export const sealTarget = async (
  dependencies: SealDependencies,
  id: string,
  { url, method, headers }: PlaintextTarget,
): Promise<WebhookTarget> => {
  const { url: maskedUrl, isMasked } = maskUrl(url);
  const names = Object.keys(headers);
  const isSecret = isMasked || names.length > 0;
  return {
    url: maskedUrl,
    urlIsMasked: isMasked,
    method,
    headers: Object.fromEntries(names.map((name) => [name, mask])),
    sealed: isSecret ? await seal(dependencies, id, { url, headers } satisfies SealedContent) : null,
  };
};

/**
 * The target as its caller gave it. Another process may have erased the box a moment ago, or before the blobs of a
 * restored backup were copied. A missing box is therefore no sign of an incomplete store: `has` is asked before `get`.
 * @throws DecryptionError, BlobNotFound
 */
export const openTarget = async (
  dependencies: SealDependencies,
  id: string,
  { url, method, sealed }: WebhookTarget,
): Promise<PlaintextTarget> => {
  if (sealed === null) return { url, method, headers: {} };
  if (!(await dependencies.blobs.has(sealed.sha256))) throw new BlobNotFound(sealed.sha256);
  return { method, ...((await unseal(dependencies, id, sealed)) as SealedContent) };
};

/**
 * Erases the sealed box of an ended delivery. Returns the position of the event; null if there is nothing to erase. The
 * event is appended last, so that the sweeper repeats an interrupted erasure.
 */
export const eraseTarget = async (
  blobs: Pick<BlobStore, 'delete'>,
  delivery: Aggregate<DeliveryState, DeliveryCommand, DeliveryEvent>,
  cause: Cause,
): Promise<number | null> => {
  const sha256 = sealedBoxHash(delivery.state);
  if (delivery.state.status !== 'ENDED' || sha256 === null) return null;
  await blobs.delete(sha256);
  return (await delivery.execute({ type: 'eraseTarget', sha256 }, cause)).position;
};
