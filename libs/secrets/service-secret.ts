import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The one secret of an installation; every other secret is made from it, so that the log needs none. */
export type ServiceSecret = Uint8Array;

/** `previous` are those that were in use before a rotation. They open and check what was made with them, and make nothing new. */
export type ServiceSecrets = { current: ServiceSecret; previous: readonly ServiceSecret[] };

const bytes = 32;

const base64Prefix = 'base64:';

/** A secret as the settings have it: text, or `base64:` before the content of a `secret.key`. */
const fromSetting = (text: string): ServiceSecret => (text.startsWith(base64Prefix) ? Buffer.from(text.slice(base64Prefix.length), 'base64') : Buffer.from(text));

const fromFile = (file: string): ServiceSecret => {
  const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (secret.byteLength < bytes) throw new Error(`${file} is damaged: it must hold ${bytes} bytes in base64.`);
  return secret;
};

/** The configured secret, or the one in the data folder, which is made at the first start. */
export const openServiceSecret = (configured: string | undefined, dataDir: string): ServiceSecret => {
  if (configured !== undefined) return fromSetting(configured);
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

/** The secret of the installation with those before it. */
export const openServiceSecrets = (settings: { secret: string | undefined; previousSecrets: readonly string[]; dataDir: string }): ServiceSecrets => ({
  current: openServiceSecret(settings.secret, settings.dataDir),
  previous: settings.previousSecrets.map(fromSetting),
});

const fingerprintBytes = 8;

/** Tells one secret from another and reveals nothing of it: 16 hex digits, always the same for the same secret. It may stand in the event log. */
export const fingerprintOf = (secret: ServiceSecret): string => deriveKey(secret, 'fingerprint', fingerprintBytes).toString('hex');
