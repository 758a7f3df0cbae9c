import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

const pemCertificates = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

const readCertificates = async (file: string): Promise<string[]> => {
  const certificates = (await readFile(file, 'utf8')).match(pemCertificates);
  if (!certificates) throw new Error(`The CA file ${file} holds no certificate in PEM form.`);
  return certificates.map((text) => new X509Certificate(text).toString());
};

/**
 * Reads the certificates of the file. Returns a function that gives the trusted authorities: those of Node, of the machine
 * and of the file. It reads those of Node and of the machine at its first call and keeps them, because reading
 * several hundred certificates takes longer than a TLS handshake.
 * @throws Error when the file is invalid
 */
export const openTrustStore = async (caFile: string | undefined): Promise<() => SecureContext> => {
  const additional = caFile === undefined ? [] : await readCertificates(caFile);
  let trustStore: SecureContext | undefined;
  return () =>
    (trustStore ??= createSecureContext({
      ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...additional])],
    }));
};
