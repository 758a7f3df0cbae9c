import { hkdfSync } from 'node:crypto';

/** The one secret of an installation; every other secret is made from it, so that the log needs none. */
export type InstallationSecret = Uint8Array;

/** `previous` are those that were in use before a rotation. They open and check what was made with them, and make nothing new. */
export type InstallationSecrets = { current: InstallationSecret; previous: readonly InstallationSecret[] };

/** How long a secret is that the service makes. */
export const secretLengthBytes = 32;

const base64Prefix = 'base64:';

/** A secret as the settings have it: text, or `base64:` before the content of a `secret.key`. */
const parseSecretSetting = (text: string): InstallationSecret =>
  text.startsWith(base64Prefix) ? Buffer.from(text.slice(base64Prefix.length), 'base64') : Buffer.from(text);

/** A key for one purpose (HKDF-SHA-256, RFC 5869); `length` in bytes. */
export const deriveKey = (secret: InstallationSecret, purpose: string, length = secretLengthBytes): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, length));

export type SecretSettings = { secret: string | undefined; previousSecrets: readonly string[]; dataDir: string };

/** The secrets that the settings name; `current` null where it lies in the data folder. */
export const configuredSecrets = ({
  secret,
  previousSecrets,
}: SecretSettings): { current: InstallationSecret | null; previous: InstallationSecret[] } => ({
  current: secret === undefined ? null : parseSecretSetting(secret),
  previous: previousSecrets.map(parseSecretSetting),
});

const fingerprintLengthBytes = 8;

/** Tells one secret from another and reveals nothing of it: 16 hex digits, always the same for the same secret. It may stand in the event log. */
export const fingerprintOf = (secret: InstallationSecret): string =>
  deriveKey(secret, 'fingerprint', fingerprintLengthBytes).toString('hex');
