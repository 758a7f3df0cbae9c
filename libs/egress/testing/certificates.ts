import { randomUUID } from 'node:crypto';
import { generate } from 'selfsigned';

export type Certificate = { key: string; cert: string };
export type CertificateAuthority = Certificate & { issue: (host: string, validUntil?: Date) => Promise<Certificate> };

const day = 24 * 60 * 60 * 1000;
const certificateOptions = { keyType: 'ec', algorithm: 'sha256' } as const;

const altName = (host: string) =>
  /^[\d.]+$|:/.test(host) ? ({ type: 7, ip: host } as const) : ({ type: 2, value: host } as const);

/** Creates a new certificate authority for a test. */
export const createCertificateAuthority = async (): Promise<CertificateAuthority> => {
  const generated = await generate([{ name: 'commonName', value: `Authority ${randomUUID()}` }], {
    ...certificateOptions,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const ca = { key: generated.private, cert: generated.cert };
  const issue = async (host: string, validUntil = new Date(Date.now() + day)): Promise<Certificate> => {
    const leaf = await generate([{ name: 'commonName', value: host }], {
      ...certificateOptions,
      ca,
      notBeforeDate: new Date(validUntil.getTime() - 2 * day),
      notAfterDate: validUntil,
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'extKeyUsage', serverAuth: true },
        { name: 'subjectAltName', altNames: [altName(host)] },
      ],
    });
    return { key: leaf.private, cert: leaf.cert };
  };
  return { ...ca, issue };
};

export const createSelfSignedCertificate = async (host: string): Promise<Certificate> => {
  const generated = await generate([{ name: 'commonName', value: host }], {
    ...certificateOptions,
    extensions: [{ name: 'subjectAltName', altNames: [altName(host)] }],
  });
  return { key: generated.private, cert: generated.cert };
};
