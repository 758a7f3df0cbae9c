import { createHash } from 'node:crypto';
import { ApiError } from '#contracts/http/api-error.ts';
import type { ApiErrorFields } from '#contracts/http/api-error.ts';
import type { ExpansionRequest } from '../expand.ts';
import { expand } from '../expand.ts';

export type ExpandOptions = Partial<Omit<ExpansionRequest, 'content' | 'contentHash' | 'data'>>;

/** A template expanded with the data, in English, in UTC, up to 20 MB, unless told otherwise. */
export const expanded = (content: string, data: unknown = {}, terms: ExpandOptions = {}): string => {
  const contentHash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return expand({
    content,
    contentHash,
    data,
    variables: [],
    locale: 'en',
    timeZone: 'UTC',
    maxOutputBytes: 20_000_000,
    ...terms,
  });
};

/** The fault that the expansion fails with. */
export const expansionError = (content: string, data: unknown = {}, terms: ExpandOptions = {}): ApiErrorFields => {
  try {
    expanded(content, data, terms);
  } catch (error) {
    if (error instanceof ApiError) return error.fields;
    throw error;
  }
  throw new Error('the expansion succeeded');
};
