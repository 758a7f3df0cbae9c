import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey, fingerprintOf, type ServiceSecret, type ServiceSecrets } from './service-secret.ts';

/** A sealed box cannot be opened; the message says why, for the operator and the caller. */
export class SealedBoxError extends Error {}

const cipher = 'aes-256-gcm';
const version = 1;
const [keyIdBytes, nonceBytes, tagBytes] = [8, 12, 16] as const;
const headerBytes = 1 + keyIdBytes;

/** One key for each owner: so few boxes share a key that random nonces never meet. */
const keyOf = (secret: ServiceSecret, owner: string): Buffer => deriveKey(secret, `sealed box/${owner}`);

const headerOf = (secret: ServiceSecret): Buffer => Buffer.concat([Buffer.from([version]), Buffer.from(fingerprintOf(secret), 'hex')]);

/**
 * Seals a text for one owner, such as a render, by AES-256-GCM. The box has, in this order: version (1 byte), id of the secret (8), nonce (12), ciphertext, tag (16).
 * Version, id and owner are authenticated with it, so a box of another owner does not open.
 */
export const seal = ({ current }: ServiceSecrets, owner: string, text: string): Uint8Array => {
  const [header, nonce] = [headerOf(current), randomBytes(nonceBytes)];
  const sealing = createCipheriv(cipher, keyOf(current, owner), nonce, { authTagLength: tagBytes }).setAAD(Buffer.concat([header, Buffer.from(owner)]));
  return Buffer.concat([header, nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
};

/** The text of a box that was sealed for this owner, with the present secret or one before it. @throws SealedBoxError */
export const openBox = ({ current, previous }: ServiceSecrets, owner: string, bytes: Uint8Array): string => {
  const box = Buffer.from(bytes);
  if (box.length < headerBytes + nonceBytes + tagBytes || box[0] !== version) throw new SealedBoxError('It is not a sealed box that this release knows.');
  const header = box.subarray(0, headerBytes);
  const secret = [current, ...previous].find((one) => headerOf(one).equals(header));
  if (!secret) throw new SealedBoxError('It was sealed with a secret of the installation that is not configured any more.');
  const end = box.length - tagBytes;
  try {
    const opening = createDecipheriv(cipher, keyOf(secret, owner), box.subarray(headerBytes, headerBytes + nonceBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.concat([header, Buffer.from(owner)]))
      .setAuthTag(box.subarray(end));
    return Buffer.concat([opening.update(box.subarray(headerBytes + nonceBytes, end)), opening.final()]).toString('utf8');
  } catch {
    throw new SealedBoxError('It is damaged, or belongs to something else.');
  }
};
