import { randomBytes } from 'node:crypto';
import type { SealedEncryption } from '#contracts/events/render.ts';
import type { EncryptionOption } from '#contracts/http/encryption.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { PdfEncryption } from '#libs/pdf/encryption.ts';
import { decrypt, encrypt } from '#libs/secrets/encryption.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';

/** The content of a sealed box. `secret` is 32 random bytes in hex, see libs/pdf/encryption-keys.ts. */
type EncryptionSecrets = Pick<PdfEncryption, 'userPassword' | 'ownerPassword' | 'secret'>;

type SealDependencies = { blobs: BlobStore; secrets: InstallationSecrets };

/** Boxes belong to an account, so that a repeated render can use that of the first one. */
const ownerOf = (accountId: string): string => `pdf encryption/${accountId}`;

/** The encryption for the event log, with its passwords in a sealed box in the blob store. */
export const sealEncryption = async (
  { blobs, secrets }: SealDependencies,
  accountId: string,
  { user_password: user, owner_password: owner, permissions, encrypt_metadata: encryptMetadata }: EncryptionOption,
): Promise<SealedEncryption> => {
  const content: EncryptionSecrets = {
    userPassword: user ?? null,
    ownerPassword: owner ?? null,
    secret: randomBytes(32).toString('hex'),
  };
  return {
    permissions,
    encryptMetadata,
    given: [...(user === undefined ? [] : (['user'] as const)), ...(owner === undefined ? [] : (['owner'] as const))],
    sealed: await blobs.put(encrypt(secrets, ownerOf(accountId), JSON.stringify(content))),
  };
};

/** The encryption with its passwords. @throws BlobNotFound; DecryptionError */
export const openEncryption = async (
  { blobs, secrets }: SealDependencies,
  accountId: string,
  { permissions, encryptMetadata, sealed }: SealedEncryption,
): Promise<PdfEncryption> => {
  const content = decrypt(secrets, ownerOf(accountId), await blobs.get(sealed.sha256));
  return { ...(JSON.parse(content) as EncryptionSecrets), permissions, encryptMetadata };
};
