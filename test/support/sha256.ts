import { createHash } from 'node:crypto';

/** SHA-256 in hex. */
export const sha256Of = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
