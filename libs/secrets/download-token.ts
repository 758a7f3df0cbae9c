import { createHmac, timingSafeEqual } from 'node:crypto';
import { renderIdOf } from '#contracts/names.ts';
import { deriveKey, type InstallationSecret, type InstallationSecrets } from './installation-secret.ts';

export type TokenStatus = 'valid' | 'expired' | 'invalid';

const signatureOf = (secret: InstallationSecret, renderId: string, expiry: string): string =>
  createHmac('sha256', deriveKey(secret, 'download')).update(`${renderId}.${expiry}`).digest('base64url');

/** A token that gives access to one render's PDF until a time, to the second. */
export const createDownloadToken = (secret: InstallationSecret, renderId: string, expiresAt: Date): string => {
  const expiry = String(Math.floor(expiresAt.getTime() / 1000));
  return `${expiry}.${signatureOf(secret, renderId, expiry)}`;
};

/** A URL that gives access to one render's PDF until a time. `baseUrl` is the public URL of the service. */
export const createDownloadUrl = (baseUrl: string, secret: InstallationSecret, id: string, expiresAt: Date): string =>
  `${baseUrl}/api/v1/download/${renderIdOf(id)}?token=${createDownloadToken(secret, id, expiresAt)}`;

/** The URL of the thumbnail beside a PDF, from that of the PDF. Both have the same token. */
export const thumbnailUrlOf = (downloadUrl: string): string => downloadUrl.replace('?', '/thumbnail?');

/** Checks that a token was created for this render with the current or a previous secret, and has not expired. */
export const checkDownloadToken = (
  { current, previous }: InstallationSecrets,
  renderId: string,
  token: string,
  now: Date,
): TokenStatus => {
  const [, expiry, signature] = /^(\d{1,12})\.([\w-]{43})$/.exec(token) ?? [];
  if (!expiry || !signature) return 'invalid';
  // As text, because several texts decode to the same bytes.
  const isSigned = (secret: InstallationSecret): boolean =>
    timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(secret, renderId, expiry)));
  if (![current, ...previous].some(isSigned)) return 'invalid';
  return now.getTime() < Number(expiry) * 1000 ? 'valid' : 'expired';
};
