import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ulidPattern } from '#contracts/names.ts';

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** A new token for the session or link with this bare id: `<id>.<256 random bits>`. Only `hash` may be stored. */
export const newToken = (id: string): { token: string; hash: string } => {
  const secret = randomBytes(32).toString('base64url');
  return { token: `${id}.${secret}`, hash: hashOf(secret).toString('hex') };
};

const tokenPattern = new RegExp(`^(${ulidPattern})\\.([\\w-]{43})$`);

/** The parts of a token; null if it is malformed. */
export const parseToken = (token: string): { id: string; secret: string } | null => {
  const [, id, secret] = tokenPattern.exec(token) ?? [];
  return id && secret ? { id, secret } : null;
};

/** Whether the secret has this hash (hex), compared in constant time. */
export const hasHash = (secret: string, hash: string): boolean => {
  const expected = Buffer.from(hash, 'hex');
  const actual = hashOf(secret);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
};
