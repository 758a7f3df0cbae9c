import { randomBytes } from 'node:crypto';
import type { EventData } from '#contracts/events/event-schemas.ts';
import type { SealedEncryption } from '#contracts/events/render-request.ts';
import type { EncryptionOption } from '#contracts/http/encryption.ts';
import type { PdfEncryption } from '#libs/pdf/encryption.ts';
import { seal, type SealDependencies } from '#libs/secrets/sealed-box.ts';
import { unsealForRender } from './unseal-for-render.ts';

/** The content of a sealed box. `secret` is 32 random bytes in hex, see libs/pdf/encryption-keys.ts. */
type EncryptionSecrets = Pick<PdfEncryption, 'userPassword' | 'ownerPassword' | 'secret'>;

/** Boxes belong to an account, so that a repeated render can use the box of the first one. */
const ownerOf = (accountId: string): string => `pdf encryption/${accountId}`;

/** The encryption for the event log, with its passwords in a sealed box in the blob store. */
export const sealEncryption = async (
  dependencies: SealDependencies,
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
    sealed: await seal(dependencies, ownerOf(accountId), content),
  };
};

/** The encryption of a render with its passwords; null if there is none. @throws BlobNotFound; ApiError render_input_lost */
export const openEncryption = async (
  dependencies: SealDependencies,
  { accountId, encryption }: Pick<EventData['RenderRequested'], 'accountId' | 'encryption'>,
): Promise<PdfEncryption | null> => {
  if (!encryption) return null;
  const { permissions, encryptMetadata, sealed } = encryption;
  const content = await unsealForRender(dependencies, ownerOf(accountId), sealed, 'The passwords');
  return { ...(content as EncryptionSecrets), permissions, encryptMetadata };
};
