import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '#libs/disk/make-folder.ts';
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
 * The file of a new secret that is not yet recorded in the event log; its name ends with the fingerprint. If two processes
 * start at the same time, or one ends during the first start, the event log decides which secret is used.
 */
const unconfirmedFileName = (fingerprint: string): string => `${secretFileName}.${fingerprint}`;

export const secretFilePath = (dataDir: string): string => join(dataDir, secretFileName);

const readSecretBytes = (file: string): Buffer | null => {
  try {
    return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/** The secret in the data folder; null if there is none or it is incomplete. */
export const readSecretFile = (dataDir: string): InstallationSecret | null => {
  const bytes = readSecretBytes(secretFilePath(dataDir));
  return bytes && bytes.byteLength >= secretLengthBytes ? bytes : null;
};

const fsyncPath = (path: string): void => {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
};

/** Creates a new, unconfirmed secret in the data folder, durably. It does not replace another secret. */
export const createSecretFile = (dataDir: string): InstallationSecret => {
  const secret = randomBytes(secretLengthBytes);
  makeFolder(dataDir);
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
    // Another process has already renamed it, or it was never here.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
};

/**
 * The secret in the data folder; null if there is none. `fingerprint` is that of the installation secret in the event log:
 * the unconfirmed file with it becomes `secret.key`, unless there is a complete secret. Other unconfirmed files are removed.
 */
export const confirmSecretFile = (dataDir: string, fingerprint: string): InstallationSecret | null => {
  if (!readSecretFile(dataDir)) promoteUnconfirmedFile(dataDir, fingerprint);
  const secret = readSecretFile(dataDir);
  if (!secret || fingerprintOf(secret) !== fingerprint) return secret;
  for (const name of readdirSync(dataDir))
    if (/^secret\.key\.[0-9a-f]{16}$/.test(name)) rmSync(join(dataDir, name), { force: true });
  return secret;
};

/**
 * The secret that the next start finds in the data folder; null if there is none. `fingerprint` is that of the
 * installation secret in the event log. Changes no file.
 */
export const findSecretFile = (dataDir: string, fingerprint: string): InstallationSecret | null =>
  readSecretFile(dataDir) ?? readSecretBytes(join(dataDir, unconfirmedFileName(fingerprint)));

/** The installation secret and the previous ones. @throws Error when the secret file is missing or incomplete */
export const loadInstallationSecrets = (settings: SecretSettings): InstallationSecrets => {
  const { current, previous } = configuredSecrets(settings);
  const secret = current ?? readSecretFile(settings.dataDir);
  if (!secret) throw new Error(`${secretFilePath(settings.dataDir)} is missing or incomplete.`);
  return { current: secret, previous };
};
