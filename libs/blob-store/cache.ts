import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BlobStore } from './port.ts';

/** In bytes: the largest blob to cache, and the size of the cache. */
export type BlobCacheOptions = { maxBlobBytes: number; maxTotalBytes: number };
/** The overhead of a cache entry. Without it the cache could hold a very large number of tiny blobs. */
const entryOverheadBytes = 512;
const defaultCacheOptions: BlobCacheOptions = { maxBlobBytes: 64 * 1024, maxTotalBytes: 8 * 1024 * 1024 };

/** Caches small blobs that were written or read recently. Only for blobs that are never deleted: inputs and templates of PDFs. */
export type BlobCache = {
  /** A store whose `put` and `get` use the cache before `blobs`. */
  wrap(blobs: BlobStore): CachedBlobStore;
};

/** `cache` adds a blob that is stored already. Its bytes must not change afterwards. */
export type CachedBlobStore = BlobStore & { cache(sha256: string, bytes: Uint8Array): void };

/** A cache for one process. Each role of the process can wrap its own store with it. */
export const createBlobCache = ({ maxBlobBytes, maxTotalBytes }: BlobCacheOptions = defaultCacheOptions): BlobCache => {
  const cache = new LRUCache<string, Uint8Array>({
    maxSize: maxTotalBytes,
    maxEntrySize: maxBlobBytes + entryOverheadBytes,
    sizeCalculation: ({ byteLength }) => byteLength + entryOverheadBytes,
  });
  return {
    wrap: (blobs) => ({
      ...blobs,
      cache: (sha256, bytes) => void cache.set(sha256, bytes),
      put: async (bytes) => {
        if (bytes.byteLength > maxBlobBytes) return blobs.put(bytes);
        // The caller may change the buffer later.
        const copy = new Uint8Array(bytes);
        const sha256 = hash('sha256', copy, 'hex');
        if (cache.get(sha256)) return { sha256, size: copy.byteLength };
        const ref = await blobs.put(copy);
        cache.set(sha256, copy);
        return ref;
      },
      get: async (sha256) => {
        const cached = cache.get(sha256);
        if (cached) return cached;
        const bytes = await blobs.get(sha256);
        // A copy, because drivers return slices of large buffers, which would stay in memory, too.
        if (bytes.byteLength <= maxBlobBytes) cache.set(sha256, new Uint8Array(bytes));
        return bytes;
      },
    }),
  };
};
