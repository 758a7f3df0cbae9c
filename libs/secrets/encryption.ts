import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey, fingerprintOf, type InstallationSecret, type InstallationSecrets } from './installation-secret.ts';

/** A text cannot be decrypted. The message says why, for the operator and the caller. */
export class DecryptionError extends Error {}

const cipher = 'aes-256-gcm';
const version = 1;
const [keyIdBytes, nonceBytes, tagBytes] = [8, 12, 16] as const;
const headerBytes = 1 + keyIdBytes;

/** One key for each owner, so that few texts share a key and random nonces do not repeat. */
const encryptionKeyOf = (secret: InstallationSecret, owner: string): Buffer => deriveKey(secret, `sealed box/${owner}`);

const headerOf = (secret: InstallationSecret): Buffer =>
  Buffer.concat([Buffer.from([version]), Buffer.from(fingerprintOf(secret), 'hex')]);

/**
 * Encrypts a text for one owner, such as a render, with AES-256-GCM. The result contains, in this order: version (1 byte),
 * id of the secret (8), nonce (12), ciphertext, tag (16). Version, id and owner are authenticated, so the text of another
 * owner cannot be decrypted.
 */
export const encrypt = ({ current }: InstallationSecrets, owner: string, text: string): Uint8Array => {
  const [header, nonce] = [headerOf(current), randomBytes(nonceBytes)];
  const encryptor = createCipheriv(cipher, encryptionKeyOf(current, owner), nonce, { authTagLength: tagBytes }).setAAD(
    Buffer.concat([header, Buffer.from(owner)]),
  );
  return Buffer.concat([header, nonce, encryptor.update(text, 'utf8'), encryptor.final(), encryptor.getAuthTag()]);
};

/** Decrypts a text that was encrypted for this owner with the current or a previous secret. @throws DecryptionError */
export const decrypt = ({ current, previous }: InstallationSecrets, owner: string, bytes: Uint8Array): string => {
  const encrypted = Buffer.from(bytes);
  if (encrypted.length < headerBytes + nonceBytes + tagBytes || encrypted[0] !== version)
    throw new DecryptionError('The encrypted text has a form that this release cannot read.');
  const header = encrypted.subarray(0, headerBytes);
  const secret = [current, ...previous].find((candidate) => headerOf(candidate).equals(header));
  if (!secret)
    throw new DecryptionError(
      'The text was encrypted with an installation secret that is no longer configured. An operator can add that secret to ' +
        'COLOPHON_PREVIOUS_SECRETS.',
    );
  const end = encrypted.length - tagBytes;
  try {
    const decryptor = createDecipheriv(
      cipher,
      encryptionKeyOf(secret, owner),
      encrypted.subarray(headerBytes, headerBytes + nonceBytes),
      { authTagLength: tagBytes },
    )
      .setAAD(Buffer.concat([header, Buffer.from(owner)]))
      .setAuthTag(encrypted.subarray(end));
    return Buffer.concat([
      decryptor.update(encrypted.subarray(headerBytes + nonceBytes, end)),
      decryptor.final(),
    ]).toString('utf8');
  } catch {
    throw new DecryptionError('The encrypted text is damaged or belongs to another owner.');
  }
};
