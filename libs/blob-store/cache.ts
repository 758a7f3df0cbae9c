import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BlobStore } from './port.ts';

/** In bytes: what a blob may have at most to be remembered, and what all take together. */
export type BlobCacheOptions = { maxBlobBytes: number; maxTotalBytes: number };
/** What it takes to remember a blob beside its bytes: of very small ones there would be a great many. */
const entryOverheadBytes = 512;
const defaultCacheOptions: BlobCacheOptions = { maxBlobBytes: 64 * 1024, maxTotalBytes: 8 * 1024 * 1024 };

/** Small blobs that were written or read lately, of those that are never deleted: the inputs and templates that PDFs are made from. */
export type BlobCache = {
  /** A store whose `put` and `get` spare the way to `blobs` for what is remembered. */
  wrap(blobs: BlobStore): BlobStore;
};

/** A memory for one process, whose roles may each have a store of their own over it. */
export const createBlobCache = ({ maxBlobBytes, maxTotalBytes }: BlobCacheOptions = defaultCacheOptions): BlobCache => {
  const known = new LRUCache<string, Uint8Array>({
    maxSize: maxTotalBytes,
    maxEntrySize: maxBlobBytes + entryOverheadBytes,
    sizeCalculation: ({ byteLength }) => byteLength + entryOverheadBytes,
  });
  return {
    wrap: (blobs) => ({
      ...blobs,
      put: async (bytes) => {
        if (bytes.byteLength > maxBlobBytes) return blobs.put(bytes);
        // Callers may go on using the buffer.
        const kept = new Uint8Array(bytes);
        const sha256 = hash('sha256', kept, 'hex');
        if (known.get(sha256)) return { sha256, size: kept.byteLength };
        const ref = await blobs.put(kept);
        known.set(sha256, kept);
        return ref;
      },
      get: async (sha256) => {
        const remembered = known.get(sha256);
        if (remembered) return remembered;
        const bytes = await blobs.get(sha256);
        // A copy: drivers cut small blobs out of large buffers, which would be kept with them.
        if (bytes.byteLength <= maxBlobBytes) known.set(sha256, new Uint8Array(bytes));
        return bytes;
      },
    }),
  };
};
