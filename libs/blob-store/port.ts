import type { BlobRef } from '#contracts/events/render.ts';

export class BlobNotFound extends Error {
  constructor(sha256: string) {
    super(`no blob ${sha256}`);
    this.name = 'BlobNotFound';
  }
}

/** Bytes under the name of their SHA-256. The same bytes are one blob. */
export type BlobStore = {
  /** Durable when it resolves. */
  put(bytes: Uint8Array): Promise<BlobRef>;
  /** @throws BlobNotFound, also when the stored bytes no longer have that hash. */
  get(sha256: string): Promise<Uint8Array>;
  has(sha256: string): Promise<boolean>;
  delete(sha256: string): Promise<void>;
  /** The installation that the storage belongs to; null while it belongs to none. */
  installationId(): Promise<string | null>;
  /** Lets storage without a mark belong to an installation; answers with the mark that it has then, which may be another one. Durable when it resolves. */
  setInstallationId(installation: string): Promise<string>;
  close(): Promise<void>;
};
