import type { BlobRef } from '#contracts/events/blob-ref.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { decrypt, encrypt } from './encryption.ts';
import type { InstallationSecrets } from './installation-secret.ts';

export type SealDependencies = { blobs: BlobStore; secrets: InstallationSecrets };

/** Stores a value in the blob store, encrypted for its owner. */
export const seal = ({ blobs, secrets }: SealDependencies, owner: string, content: object): Promise<BlobRef> =>
  blobs.put(encrypt(secrets, owner, JSON.stringify(content)));

/** The value in a sealed box. @throws BlobNotFound; DecryptionError */
export const unseal = async ({ blobs, secrets }: SealDependencies, owner: string, { sha256 }: BlobRef) =>
  JSON.parse(decrypt(secrets, owner, await blobs.get(sha256))) as unknown;
