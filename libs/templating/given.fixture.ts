import { createHash } from 'node:crypto';
import { Problem } from '#contracts/http/problem.ts';
import type { Fault } from '#contracts/http/problem.ts';
import type { Expansion } from './expand.ts';
import { expand } from './expand.ts';

export type Terms = Partial<Omit<Expansion, 'content' | 'contentHash' | 'data'>>;

/** A template expanded with the data, in English, in UTC, up to 20 MB, unless told otherwise. */
export const filled = (content: string, data: unknown = {}, terms: Terms = {}): string => {
  const contentHash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return expand({ content, contentHash, data, variables: [], locale: 'en', timeZone: 'UTC', maxOutputBytes: 20_000_000, ...terms });
};

/** The fault that the expansion fails with. */
export const faultOf = (content: string, data: unknown = {}, terms: Terms = {}): Fault => {
  try {
    filled(content, data, terms);
  } catch (error) {
    if (error instanceof Problem) return error.fault;
    throw error;
  }
  throw new Error('the expansion succeeded');
};
