import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

const pemCertificates = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The certificates of a PEM file, each in PEM. @throws Error if there is none, or one is damaged */
export const readCertificates = (file: string): string[] => {
  const certificates = readFileSync(file, 'utf8').match(pemCertificates);
  if (!certificates) throw new Error(`The CA file ${file} holds no certificate in PEM form.`);
  return certificates.map((text) => new X509Certificate(text).toString());
};

/**
 * Reads the certificates of the file. Returns a function that gives the trusted authorities: those of Node, of the machine
 * and of the file. It reads those of Node and of the machine at its first call and keeps them, because reading
 * several hundred certificates takes longer than a TLS handshake.
 * @throws Error when the file is invalid
 */
export const openTrustStore = (caFile: string | undefined): (() => SecureContext) => {
  const additional = caFile === undefined ? [] : readCertificates(caFile);
  let trustStore: SecureContext | undefined;
  return () =>
    (trustStore ??= createSecureContext({
      ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...additional])],
    }));
};
