import type { BlobRef } from '#contracts/events/blob-ref.ts';

export class BlobNotFound extends Error {
  constructor(sha256: string) {
    super(`no blob ${sha256}`);
    this.name = 'BlobNotFound';
  }
}

/** Stores bytes by their SHA-256. Equal bytes are one blob. */
export type BlobStore = {
  /** Blobs up to this size can be appended with the events that name them, instead of `put` before; 0: none can. */
  maxAppendedBytes: number;
  /** Stores a blob; durable when it resolves. */
  put(bytes: Uint8Array): Promise<BlobRef>;
  /** @throws BlobNotFound if there is no such blob, or if the stored bytes have another hash */
  get(sha256: string): Promise<Uint8Array>;
  has(sha256: string): Promise<boolean>;
  /** With `storedBefore`, a blob that was put since stays: returns false. The engine has the time of each `put`. */
  delete(sha256: string, storedBefore?: Date): Promise<boolean>;
  /** The installation that the storage belongs to; null if it belongs to none yet. */
  installationId(): Promise<string | null>;
  /**
   * Assigns storage that belongs to no installation to this one. Resolves, once durable, to the installation id that the
   * storage then has, which may be another one.
   */
  setInstallationId(installation: string): Promise<string>;
  close(): Promise<void>;
};
