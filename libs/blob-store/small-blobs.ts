import { hash } from 'node:crypto';
import type { SmallBlobs } from '#libs/sqlite/small-blobs.ts';
import { BlobNotFound, type BlobStore } from './port.ts';
import { isSha256, sha256Of } from './sha256.ts';

/** Blobs up to this size are stored in the event log's database, where many writes share one fsync. */
const maxSmallBlobBytes = 64 * 1024;

/** A blob store whose small blobs are in the database of the event log, and the others in `large`. */
export const withSmallBlobs = (large: BlobStore, small: SmallBlobs): BlobStore => ({
  ...large,
  maxAppendedBytes: maxSmallBlobBytes,
  put: async (bytes) => {
    const size = bytes.byteLength;
    if (size > maxSmallBlobBytes) return large.put(bytes);
    const sha256 = hash('sha256', bytes, 'hex');
    await small.write(sha256, bytes);
    return { sha256, size };
  },
  get: async (sha256) => {
    const bytes = isSha256(sha256) ? small.read(sha256) : undefined;
    if (!bytes) return large.get(sha256);
    if ((await sha256Of(bytes)) !== sha256) throw new BlobNotFound(sha256);
    return bytes;
  },
  has: async (sha256) => (isSha256(sha256) && small.read(sha256) !== undefined) || large.has(sha256),
  delete: async (sha256, storedBefore) =>
    !isSha256(sha256) || ((await small.delete(sha256, storedBefore)) && large.delete(sha256, storedBefore)),
});
