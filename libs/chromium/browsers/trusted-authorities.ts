import { execFile } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isExecutable } from '#libs/config/find-browser.mjs';
import { readCertificates } from '#libs/egress/trust-store.ts';
import { childUser, giveToChildUser } from '#libs/processes/processes.ts';

const execFileAsync = promisify(execFile);

/** The program `certutil` of NSS (Debian: libnss3-tools) on the PATH. */
export const findCertutil = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'certutil'))
    .find(isExecutable);

/** The base64 SHA-256 of a certificate's public key, for `--ignore-certificate-errors-spki-list`. */
const publicKeyHash = (certificate: string): string =>
  createHash('sha256')
    .update(new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');

const writeCertificateDatabase = async (certutil: string, home: string, certificates: string[]) => {
  const database = join(home, '.pki', 'nssdb');
  await mkdir(database, { recursive: true });
  await giveToChildUser(join(home, '.pki'), database);
  const options = { ...childUser(), cwd: home, env: { HOME: home } };
  await execFileAsync(certutil, ['-d', `sql:${database}`, '-N', '--empty-password'], options);
  for (const [index, certificate] of certificates.entries()) {
    const file = join(home, `authority-${index}.pem`);
    await writeFile(file, `${certificate}\n`);
    await giveToChildUser(file);
    await execFileAsync(
      certutil,
      ['-d', `sql:${database}`, '-A', '-t', 'C,,', '-n', `authority ${index}`, '-i', file],
      options,
    );
  }
};

/**
 * Makes a browser trust the authorities in the PEM file, and returns the flags for it. With certutil they are added to
 * the browser's certificate database. Without it only their keys are passed, and the browser trusts every server that
 * shows such a certificate in its chain.
 */
export const trustAuthorities = async (caFile: string | undefined, home: string): Promise<string[]> => {
  if (!caFile) return [];
  const certificates = readCertificates(caFile);
  const certutil = findCertutil();
  if (!certutil) return [`--ignore-certificate-errors-spki-list=${certificates.map(publicKeyHash).join(',')}`];
  await writeCertificateDatabase(certutil, home, certificates);
  return [];
};
