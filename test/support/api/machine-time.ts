import type { BlobStore } from '#libs/blob-store/port.ts';

/** Blobs, which have the times of the machine, for callers whose clock has now the time `start`. */
export const atMachineTime = (blobs: BlobStore, start: string): BlobStore => {
  const offsetMs = Date.now() - Date.parse(start);
  return {
    ...blobs,
    delete: (sha256, storedBefore) => blobs.delete(sha256, storedBefore && new Date(storedBefore.getTime() + offsetMs)),
  };
};
