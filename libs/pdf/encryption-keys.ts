import { createCipheriv, createHmac, hash } from 'node:crypto';

/** The bytes that a random number generator would make otherwise, in a fixed order of labels. */
export type Derive = (label: string) => Buffer;

/**
 * 32 bytes for each label, by HMAC-SHA-256 (RFC 2104). Salts, keys and IVs of a PDF must be impossible to guess from the
 * PDF, and the same whenever the PDF is made again. So they derive from a secret of 32 random bytes that is drawn once
 * for each request, is stored only in the sealed box with the passwords, and never is in a PDF. Date and content make
 * sure that a repeated request, which has the same box, gets other keys.
 */
export const deriveFrom = (secret: Uint8Array, sha256: string, requestedAt: string): Derive => {
  const key = createHmac('sha256', secret).update(`${requestedAt} ${sha256}`).digest();
  return (label) => createHmac('sha256', key).update(label).digest();
};

const aes = (cipher: 'aes-128-cbc' | 'aes-256-cbc', key: Uint8Array, iv: Uint8Array, data: Uint8Array): Buffer => {
  const encryptor = createCipheriv(cipher, key, iv).setAutoPadding(false);
  return Buffer.concat([encryptor.update(data), encryptor.final()]);
};

const noIv = Buffer.alloc(16);
const minRounds = 64;

/** The hash of a password, a salt and more (ISO 32000-2, Algorithm 2.B). 32 bytes. */
const passwordHash = (password: Uint8Array, salt: Uint8Array, more: Uint8Array): Buffer => {
  let key = hash('sha256', Buffer.concat([password, salt, more]), 'buffer');
  let last = 0;
  for (let round = 0; round < minRounds || last > round - 32; round += 1) {
    const repeated = Buffer.concat(Array.from({ length: 64 }, () => Buffer.concat([password, key, more])));
    const encrypted = aes('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32), repeated);
    // 256 is 1 modulo 3, so the number of 16 bytes has the remainder of the sum of its bytes.
    const remainder = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = hash((['sha256', 'sha384', 'sha512'] as const)[remainder]!, encrypted, 'buffer');
    last = encrypted.at(-1)!;
  }
  return key.subarray(0, 32);
};

const saltBytes = 8;

/**
 * What proves a password (U or O, 48 bytes) and the file key encrypted with it (UE or OE, 32 bytes); Algorithms 8 and 9.
 * `userEntry` is U for the owner password.
 */
export const passwordEntries = (
  password: Uint8Array,
  salts: Uint8Array,
  fileKey: Uint8Array,
  userEntry: Uint8Array = Buffer.alloc(0),
): { entry: Buffer; encryptedKey: Buffer } => {
  const [validation, key] = [salts.subarray(0, saltBytes), salts.subarray(saltBytes, 2 * saltBytes)];
  return {
    entry: Buffer.concat([passwordHash(password, validation, userEntry), validation, key]),
    encryptedKey: aes('aes-256-cbc', passwordHash(password, key, userEntry), noIv, fileKey),
  };
};

/** The permissions again, encrypted so that they cannot be changed without the file key (Algorithm 10). 16 bytes. */
export const encryptedPermissions = (
  fileKey: Uint8Array,
  permissions: number,
  encryptsMetadata: boolean,
  filler: Uint8Array,
): Buffer => {
  const block = Buffer.alloc(16, 0xff);
  block.writeInt32LE(permissions, 0);
  block.write(`${encryptsMetadata ? 'T' : 'F'}adb`, 8, 'latin1');
  block.set(filler.subarray(0, 4), 12);
  const encryptor = createCipheriv('aes-256-ecb', fileKey, null).setAutoPadding(false);
  return Buffer.concat([encryptor.update(block), encryptor.final()]);
};

/** A string or stream, after its IV of 16 bytes (Algorithm 1.A). */
export const encryptData = (fileKey: Uint8Array, iv: Uint8Array, data: Uint8Array): Buffer => {
  const encryptor = createCipheriv('aes-256-cbc', fileKey, iv);
  return Buffer.concat([iv, encryptor.update(data), encryptor.final()]);
};
