import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  configuredSecrets,
  fingerprintOf,
  secretLengthBytes,
  type SecretSettings,
  type InstallationSecret,
  type InstallationSecrets,
} from './installation-secret.ts';

const secretFileName = 'secret.key';

/**
 * A secret that was made and is not yet known to be the installation's lies beside `secret.key`, under its fingerprint: where two processes start at once, or one ends in the
 * middle of the first start, the event log says which one it is.
 */
const unconfirmedFileName = (fingerprint: string): string => `${secretFileName}.${fingerprint}`;
const isUnconfirmedFile = (name: string): boolean => /^secret\.key\.[0-9a-f]{16}$/.test(name);

/** Where the secret lies. */
export const secretFilePath = (dataDir: string): string => join(dataDir, secretFileName);

const readSecretBytes = (file: string): Buffer | null => {
  try {
    return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/** The secret in the data folder; null where there is none, or a part of one. */
export const readSecretFile = (dataDir: string): InstallationSecret | null => {
  const found = readSecretBytes(secretFilePath(dataDir));
  return found && found.byteLength >= secretLengthBytes ? found : null;
};

const fsyncPath = (path: string): void => {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
};

/** Makes a new secret in the data folder, durably, without putting it in the place of another one. */
export const createSecretFile = (dataDir: string): InstallationSecret => {
  const secret = randomBytes(secretLengthBytes);
  mkdirSync(dataDir, { recursive: true });
  const temporary = join(dataDir, `${secretFileName}.part-${randomBytes(8).toString('hex')}`);
  writeFileSync(temporary, `${secret.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(temporary, join(dataDir, unconfirmedFileName(fingerprintOf(secret))));
  fsyncPath(dataDir);
  return secret;
};

const promoteUnconfirmedFile = (dataDir: string, fingerprint: string): void => {
  try {
    renameSync(join(dataDir, unconfirmedFileName(fingerprint)), secretFilePath(dataDir));
    fsyncPath(dataDir);
  } catch (error) {
    // Another process has moved it already, or it was never here.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
};

/**
 * The secret in the data folder, once the event log knows the installation's by its fingerprint: one that was made for it is put in its place first, unless there is a whole secret.
 * Null where there is none. Others that were made are removed.
 */
export const confirmSecretFile = (dataDir: string, fingerprint: string): InstallationSecret | null => {
  if (!readSecretFile(dataDir)) promoteUnconfirmedFile(dataDir, fingerprint);
  const secret = readSecretFile(dataDir);
  if (!secret || fingerprintOf(secret) !== fingerprint) return secret;
  for (const name of readdirSync(dataDir)) if (isUnconfirmedFile(name)) rmSync(join(dataDir, name), { force: true });
  return secret;
};

/** The secret of the installation with those before it, as it was settled at the start. */
export const loadInstallationSecrets = (settings: SecretSettings): InstallationSecrets => {
  const { current, previous } = configuredSecrets(settings);
  const secret = current ?? readSecretFile(settings.dataDir);
  if (!secret) throw new Error(`${secretFilePath(settings.dataDir)} is not there, or not whole.`);
  return { current: secret, previous };
};
