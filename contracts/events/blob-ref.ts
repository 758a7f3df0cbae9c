import { z } from 'zod';
import { identifier } from './bounded.ts';

/** The hex SHA-256 of a blob, and its size in bytes. */
export const blobRef = z.object({ sha256: identifier(), size: z.number().int() });
export type BlobRef = z.output<typeof blobRef>;
