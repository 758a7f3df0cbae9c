import { BlobNotFound, type BlobStore } from './port.ts';

/**
 * A blob that may be erased at any time; null if it is. `has` comes first, because a failed `get` of a blob that renders
 * need makes the service not ready.
 */
export const readIfStored = async (
  blobs: Pick<BlobStore, 'has' | 'get'>,
  sha256: string,
): Promise<Uint8Array | null> => {
  if (!(await blobs.has(sha256))) return null;
  return blobs.get(sha256).catch((error: unknown) => {
    if (error instanceof BlobNotFound) return null;
    throw error;
  });
};
