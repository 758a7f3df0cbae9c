import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { keyPrefixes } from '#contracts/names.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const checksumLength = 6;

const base62 = (value: bigint, length: number): string => {
  let rest = value;
  let text = '';
  while (text.length < length) {
    text = alphabet[Number(rest % 62n)]! + text;
    rest /= 62n;
  }
  return text;
};

const checksum = (body: string): string => base62(BigInt(crc32(body)), checksumLength);

export type KeyType = keyof typeof keyPrefixes;

/** A new API key: prefix, 256 random bits, checksum. It is shown once and never stored. */
export const newSecret = (type: KeyType): string => {
  const body = keyPrefixes[type] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength);
  return body + checksum(body);
};

/** Hex SHA-256. The service stores only this hash of a secret. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

/** The first characters of a secret, to recognise the key. */
export const visiblePrefix = (secret: string): string => secret.slice(0, keyPrefixes.test.length + 6);

/** Why a secret is malformed; null if it is well-formed. */
export const secretFormatError = (secret: string): string | null => {
  const type = (Object.keys(keyPrefixes) as KeyType[]).find((one) => secret.startsWith(keyPrefixes[one]));
  if (!type) return `A key starts with ${keyPrefixes.live} or ${keyPrefixes.test}.`;
  const expected = keyPrefixes[type].length + secretLength + checksumLength;
  if (secret.length !== expected) return `A key has ${expected} characters; this one has ${secret.length}.`;
  if (checksum(secret.slice(0, -checksumLength)) !== secret.slice(-checksumLength))
    return 'The checksum at its end does not match: the key was probably mistyped or truncated.';
  return null;
};
