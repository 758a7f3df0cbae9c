import { hash } from 'node:crypto';

/** Up to this size hashing takes less than a millisecond. */
const maxSyncHashBytes = 1024 * 1024;

/** SHA-256 in hex. Large inputs are hashed off the event loop; their bytes must not change in the meantime. */
export const sha256Of = async (bytes: Uint8Array): Promise<string> =>
  bytes.byteLength <= maxSyncHashBytes
    ? hash('sha256', bytes, 'hex')
    : Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');

export const isSha256 = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);
