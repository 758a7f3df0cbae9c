import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey, fingerprintOf, type InstallationSecret, type InstallationSecrets } from './installation-secret.ts';

/** A sealed box cannot be opened; the message says why, for the operator and the caller. */
export class DecryptionError extends Error {}

const cipher = 'aes-256-gcm';
const version = 1;
const [keyIdBytes, nonceBytes, tagBytes] = [8, 12, 16] as const;
const headerBytes = 1 + keyIdBytes;

/** One key for each owner: so few boxes share a key that random nonces never meet. */
const encryptionKeyOf = (secret: InstallationSecret, owner: string): Buffer => deriveKey(secret, `sealed box/${owner}`);

const headerOf = (secret: InstallationSecret): Buffer =>
  Buffer.concat([Buffer.from([version]), Buffer.from(fingerprintOf(secret), 'hex')]);

/**
 * Seals a text for one owner, such as a render, by AES-256-GCM. The box has, in this order: version (1 byte), id of the secret (8), nonce (12), ciphertext, tag (16).
 * Version, id and owner are authenticated with it, so a box of another owner does not open.
 */
export const encrypt = ({ current }: InstallationSecrets, owner: string, text: string): Uint8Array => {
  const [header, nonce] = [headerOf(current), randomBytes(nonceBytes)];
  const sealing = createCipheriv(cipher, encryptionKeyOf(current, owner), nonce, { authTagLength: tagBytes }).setAAD(
    Buffer.concat([header, Buffer.from(owner)]),
  );
  return Buffer.concat([header, nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
};

/** The text of a box that was sealed for this owner, with the present secret or one before it. @throws SealedBoxError */
export const decrypt = ({ current, previous }: InstallationSecrets, owner: string, bytes: Uint8Array): string => {
  const box = Buffer.from(bytes);
  if (box.length < headerBytes + nonceBytes + tagBytes || box[0] !== version)
    throw new DecryptionError('It is not a sealed box that this release knows.');
  const header = box.subarray(0, headerBytes);
  const secret = [current, ...previous].find((one) => headerOf(one).equals(header));
  if (!secret)
    throw new DecryptionError('It was sealed with a secret of the installation that is not configured any more.');
  const end = box.length - tagBytes;
  try {
    const opening = createDecipheriv(
      cipher,
      encryptionKeyOf(secret, owner),
      box.subarray(headerBytes, headerBytes + nonceBytes),
      { authTagLength: tagBytes },
    )
      .setAAD(Buffer.concat([header, Buffer.from(owner)]))
      .setAuthTag(box.subarray(end));
    return Buffer.concat([opening.update(box.subarray(headerBytes + nonceBytes, end)), opening.final()]).toString(
      'utf8',
    );
  } catch {
    throw new DecryptionError('It is damaged, or belongs to something else.');
  }
};
