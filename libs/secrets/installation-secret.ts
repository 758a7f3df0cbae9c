import { hkdfSync } from 'node:crypto';

/** The secret of an installation. All other secrets are derived from it, so the event log contains none. */
export type InstallationSecret = Uint8Array;

/** `previous` are the secrets before a rotation. They decrypt and check what was created with them, and create nothing new. */
export type InstallationSecrets = { current: InstallationSecret; previous: readonly InstallationSecret[] };

/** The length of a generated secret. */
export const secretLengthBytes = 32;

const base64Prefix = 'base64:';

/** A secret setting is text, or `base64:` and the content of a `secret.key`. */
const parseSecretSetting = (text: string): InstallationSecret =>
  text.startsWith(base64Prefix) ? Buffer.from(text.slice(base64Prefix.length), 'base64') : Buffer.from(text);

/** A key for one purpose (HKDF-SHA-256, RFC 5869); `length` in bytes. */
export const deriveKey = (secret: InstallationSecret, purpose: string, length = secretLengthBytes): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, length));

export type SecretSettings = { secret: string | undefined; previousSecrets: readonly string[]; dataDir: string };

/** The secrets in the settings. `current` is null when the secret is in the data folder. */
export const configuredSecrets = ({
  secret,
  previousSecrets,
}: SecretSettings): { current: InstallationSecret | null; previous: InstallationSecret[] } => ({
  current: secret === undefined ? null : parseSecretSetting(secret),
  previous: previousSecrets.map(parseSecretSetting),
});

const fingerprintLengthBytes = 8;

/** Identifies a secret without revealing it: 16 hex digits, always the same for one secret. It may be stored in the event log. */
export const fingerprintOf = (secret: InstallationSecret): string =>
  deriveKey(secret, 'fingerprint', fingerprintLengthBytes).toString('hex');
