import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The one secret of an installation; every other secret is made from it, so that the log needs none. */
export type ServiceSecret = Uint8Array;

const bytes = 32;

const fromFile = (file: string): ServiceSecret => {
  const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (secret.byteLength < bytes) throw new Error(`${file} is damaged: it must hold ${bytes} bytes in base64.`);
  return secret;
};

/** The configured secret, or the one in the data folder, which is made at the first start. */
export const openServiceSecret = (configured: string | undefined, dataDir: string): ServiceSecret => {
  if (configured !== undefined) return Buffer.from(configured);
  const file = join(dataDir, 'secret.key');
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, `${randomBytes(bytes).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return fromFile(file);
};

/** A key for one purpose (HKDF-SHA-256, RFC 5869); `length` in bytes. */
export const deriveKey = (secret: ServiceSecret, purpose: string, length = bytes): Buffer => Buffer.from(hkdfSync('sha256', secret, '', purpose, length));
