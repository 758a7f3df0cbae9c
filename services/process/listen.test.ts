import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSelfSignedCertificate } from '#libs/egress/testing/certificates.ts';
import { tlsOptions } from './listen.ts';

test('The TLS files must be a certificate and its key, or the error names their settings', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tls-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const created = await createSelfSignedCertificate('localhost');
  writeFileSync(certificate, created.cert);
  writeFileSync(key, created.key);
  expect(tlsOptions({ tlsCertFile: certificate, tlsKeyFile: key }).tls?.cert.toString()).toBe(created.cert);
  for (const [tlsCertFile, tlsKeyFile] of [
    [key, certificate],
    [folder, key],
    [certificate, '/etc/passwd'],
  ] as const)
    expect(() => tlsOptions({ tlsCertFile, tlsKeyFile })).toThrow('TLS_CERT_FILE and TLS_KEY_FILE must name');
});
