import { createHash } from 'node:crypto';
import type { Part } from './read-parts.ts';

/**
 * The SHA-256 of a multipart body in hex, by its parts. Not of the bytes of the body, because clients choose
 * a new boundary for each request.
 */
export const hashParts = (parts: readonly Part[]): string => {
  const hash = createHash('sha256');
  for (const { name, fileName, type, bytes } of parts) {
    hash.update(`${JSON.stringify([name, fileName, type, bytes.byteLength])}\n`);
    hash.update(bytes);
  }
  return hash.digest('hex');
};
