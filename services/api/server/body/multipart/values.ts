import type { ApiError } from '#contracts/http/api-error.ts';
import { truncateForMessage, invalidField } from '#contracts/http/api-error.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import { maxMainThreadBytes, type RequestBody } from '../read-json.ts';
import { textOf } from './field-values.ts';
import type { Part } from './read-parts.ts';

/** The fields of a body, and their long texts. */
export type Values = Pick<RequestBody, 'fields' | 'longTexts' | 'partTexts'>;

export const invalid = (field: string, message: string): ApiError => invalidField(truncateForMessage(field), message);

/** Whether the values of a template begin as a JSON object. */
export const isTemplateData = (bytes: Uint8Array): boolean =>
  /^\s*\{/.test(asBuffer(bytes).toString('latin1', 0, 1024).replace('\xef\xbb\xbf', ''));

/** Checks JSON that is not too large for the main thread. A conversion process parses all of it. @throws ApiError */
export const checkTemplateData = (field: string, bytes: Uint8Array): void => {
  if (bytes.byteLength > maxMainThreadBytes) return;
  const text = textOf(field, bytes);
  try {
    JSON.parse(text);
  } catch (error) {
    throw invalid(field, `${field} must be JSON: ${(error as SyntaxError).message}.`);
  }
};

/** The values of a template, which are JSON in a field or file. @throws ApiError */
export const withTemplateData = (values: Values, part: Part | undefined): Values => {
  if (!part || !isTemplateData(part.bytes)) return values;
  checkTemplateData('data', part.bytes);
  return {
    ...values,
    fields: { ...values.fields, data: {} },
    longTexts: { ...values.longTexts, data: asBuffer(part.bytes) },
  };
};
