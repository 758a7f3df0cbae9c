import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

const pem = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

const readCertificates = async (file: string): Promise<string[]> => {
  const certificates = (await readFile(file, 'utf8')).match(pem);
  if (!certificates) throw new Error(`The CA file ${file} holds no certificate in PEM form.`);
  return certificates.map((text) => new X509Certificate(text).toString());
};

/** Whom TLS believes: Node's roots, the machine's, and those of the file. Made once, since reading some hundred roots takes longer than a handshake. */
export const trustStore = async (caFile: string | undefined): Promise<SecureContext> => {
  const further = caFile === undefined ? [] : await readCertificates(caFile);
  return createSecureContext({ ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...further])] });
};
