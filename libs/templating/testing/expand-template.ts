import { createHash } from 'node:crypto';
import { ApiError } from '#contracts/http/api-error.ts';
import type { ApiErrorFields } from '#contracts/http/api-error.ts';
import type { ExpansionRequest } from '../expand.ts';
import { expand } from '../expand.ts';

export type ExpandOptions = Partial<Omit<ExpansionRequest, 'content' | 'contentHash' | 'data'>>;

/** Expands a template with the data. Defaults: English, UTC, at most 20 MB. */
export const expanded = (content: string, data: unknown = {}, options: ExpandOptions = {}): string => {
  const contentHash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return expand({
    content,
    contentHash,
    data,
    variables: [],
    locale: 'en',
    timeZone: 'UTC',
    maxOutputBytes: 20_000_000,
    ...options,
  });
};

/** The error of an expansion that must fail. */
export const expansionError = (content: string, data: unknown = {}, options: ExpandOptions = {}): ApiErrorFields => {
  try {
    expanded(content, data, options);
  } catch (error) {
    if (error instanceof ApiError) return error.fields;
    throw error;
  }
  throw new Error('the expansion succeeded');
};
