import { hash } from 'node:crypto';
import type { CachedBlobStore } from './cache.ts';
import type { BlobStore } from './port.ts';

/** A blob that is stored with the events that name it. */
export type DeferredBlob = { sha256: string; bytes: Uint8Array };

/** A blob store whose deferred blobs the caller must append with the events that name them. */
export type DeferringBlobStore = CachedBlobStore & {
  deferred(): DeferredBlob[];
  /** Puts the deferred blobs into the cache. Only after the append that stored them. */
  cacheDeferred(): void;
};

/** Defers each `put`, as long as all of them together fit into an append. */
export const deferPuts = (blobs: CachedBlobStore): DeferringBlobStore => {
  const deferred = new Map<string, Uint8Array>();
  let totalBytes = 0;
  return {
    ...blobs,
    put: async (bytes) => {
      const size = bytes.byteLength;
      if (totalBytes + size > blobs.maxAppendedBytes) return blobs.put(bytes);
      totalBytes += size;
      // The caller may change the buffer later, and it may be a slice of a large one.
      const copy = new Uint8Array(bytes);
      const sha256 = hash('sha256', copy, 'hex');
      deferred.set(sha256, copy);
      return { sha256, size };
    },
    get: async (sha256) => deferred.get(sha256) ?? blobs.get(sha256),
    has: async (sha256) => deferred.has(sha256) || blobs.has(sha256),
    deferred: () => [...deferred].map(([sha256, bytes]) => ({ sha256, bytes })),
    cacheDeferred: () => deferred.forEach((bytes, sha256) => blobs.cache(sha256, bytes)),
  };
};

/** The same for blobs that are deleted later, such as sealed boxes. They are not cached. */
export const deferUncachedPuts = (blobs: BlobStore): DeferringBlobStore =>
  deferPuts({ ...blobs, cache: () => undefined });
