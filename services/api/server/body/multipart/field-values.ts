import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { truncateForMessage, invalidField } from '#contracts/http/api-error.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import { maxNestingDepth } from '../read-json.ts';
import { nestingDepthOf } from '../top-level-fields.ts';
import { composeRequest } from '#contracts/http/compose.ts';
import { jsonTypesOf, optionValueOf } from '#contracts/http/option-texts.ts';
import { convertRequest, templateRequest } from '#contracts/http/render.ts';

/** By the name of the field: the JSON types that a render request may have there. */
const readFieldTypes = (): Map<string, Set<string>> => {
  const fields = [convertRequest, templateRequest, composeRequest].flatMap(({ shape }) =>
    Object.entries<z.ZodType>(shape),
  );
  const types = new Map<string, Set<string>>();
  for (const [name, schema] of fields) types.set(name, new Set([...(types.get(name) ?? []), ...jsonTypesOf(schema)]));
  return types;
};

let fieldTypes: Map<string, Set<string>> | undefined;

const numberPattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  // HTML forms send this for a checkbox.
  ['on', true],
  ['false', false],
  ['0', false],
  ['off', false],
]);

/** A field in JSON, such as webhook_headers, is never larger. */
const maxJsonLength = 64 * 1024;

const parseContainer = (text: string): unknown => {
  if (!/^[[{]/.test(text) || text.length > maxJsonLength) return undefined;
  if (nestingDepthOf(Buffer.from(text)) > maxNestingDepth) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * The value of a field that was sent as text: a number, boolean, object or array if the schema of render requests asks
 * for one there. A text that is none stays a text, so that the schema rejects it together with all other errors.
 */
export const fieldValueOf = (name: string, text: string): unknown => {
  fieldTypes ??= readFieldTypes();
  const types = fieldTypes.get(name) ?? new Set();
  const trimmed = text.trim();
  if ((types.has('number') || types.has('integer')) && numberPattern.test(trimmed)) return Number(trimmed);
  const value = types.has('boolean') ? booleans.get(trimmed.toLowerCase()) : undefined;
  if (value !== undefined) return value;
  const container = types.has('object') || types.has('array') ? parseContainer(trimmed) : undefined;
  return container ?? optionValueOf(name, text, text);
};

/** @throws ApiError invalid_request if the text is not UTF-8 */
export const textOf = (name: string, bytes: Uint8Array): string => {
  const text = asBuffer(bytes);
  if (isUtf8(text)) return text.toString().replace(/^\ufeff/, '');
  const field = truncateForMessage(name);
  throw invalidField(field, `${field} must be text in UTF-8.`);
};
