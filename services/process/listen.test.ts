import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSelfSignedCertificate } from '#libs/egress/testing/certificates.ts';
import { tlsOptions } from './listen.ts';

test('The TLS files must be a certificate and its key, or the error names the wrong one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tls-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const created = await createSelfSignedCertificate('localhost');
  writeFileSync(certificate, created.cert);
  writeFileSync(key, created.key);
  expect(tlsOptions({ tlsCertFile: certificate, tlsKeyFile: key }).tls?.cert.toString()).toBe(created.cert);
  const other = join(folder, 'other.pem');
  writeFileSync(other, (await createSelfSignedCertificate('localhost')).key);
  const notCertificate = (file: string): string =>
    `TLS_CERT_FILE is "${file}"; it must be a file with a certificate in PEM`;
  const notKey = (file: string): string => `TLS_KEY_FILE is "${file}"; it must be a file with a private key`;
  for (const [tlsCertFile, tlsKeyFile, ...problems] of [
    [key, certificate, notCertificate(key), notKey(certificate)],
    [folder, key, notCertificate(folder)],
    [certificate, '/etc/passwd', notKey('/etc/passwd')],
    [certificate, other, 'TLS_KEY_FILE must have the private key of the certificate in TLS_CERT_FILE'],
  ] as const) {
    const lines = problems.map((problem) => `${problem.replaceAll('.', '\\.')}.*`);
    expect(() => tlsOptions({ tlsCertFile, tlsKeyFile })).toThrow(new RegExp(`^${lines.join('\n')}$`));
  }
});
