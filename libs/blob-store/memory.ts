import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BlobStore } from './port.ts';

/** In bytes: what a blob may have at most to be remembered, and what all take together. */
export type BlobMemorySize = { largest: number; room: number };
/** What it takes to remember a blob beside its bytes: of very small ones there would be a great many. */
const besides = 512;
const usualSize: BlobMemorySize = { largest: 64 * 1024, room: 8 * 1024 * 1024 };

/** Small blobs that were written or read lately, of those that are never deleted: the inputs and templates that PDFs are made from. */
export type BlobMemory = {
  /** A store whose `put` and `get` spare the way to `blobs` for what is remembered. */
  over(blobs: BlobStore): BlobStore;
};

/** A memory for one process, whose roles may each have a store of their own over it. */
export const openBlobMemory = ({ largest, room }: BlobMemorySize = usualSize): BlobMemory => {
  const known = new LRUCache<string, Uint8Array>({ maxSize: room, maxEntrySize: largest + besides, sizeCalculation: ({ byteLength }) => byteLength + besides });
  return {
    over: (blobs) => ({
      ...blobs,
      put: async (bytes) => {
        if (bytes.byteLength > largest) return blobs.put(bytes);
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
        if (bytes.byteLength <= largest) known.set(sha256, new Uint8Array(bytes));
        return bytes;
      },
    }),
  };
};
