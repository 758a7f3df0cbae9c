import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { plans } from '#contracts/plans.ts';
import { truncateForMessage, ApiError } from '#contracts/http/api-error.ts';
import { beginsObject, type JsonField, topLevelFields, isContainer } from './top-level-fields.ts';

/** The long texts of a body, as the bytes that are stored. */
export const longTextFields = ['data', 'header_html', 'footer_html'] as const;
export type LongTexts = { [Name in (typeof longTextFields)[number]]?: Uint8Array };

/**
 * A parsed body. A value in `longTexts` replaces the value of that name in `fields`, which is then a placeholder of the
 * same type. `sha256` is the hash of the body in hex, if it was requested.
 */
export type JsonBody = { fields: Record<string, unknown>; longTexts: LongTexts; sha256: string | null };

/** A body or text up to this size is parsed on the main thread, which takes one or two milliseconds. */
export const maxMainThreadBytes = 64 * 1024;
/** More than any request needs; this number is checked quickly. */
const maxValues = 10_000;
const maxOtherBytes = 1024 * 1024;
const unlimitedTextFields = new Set<string>([...longTextFields, 'content']);
/** One more byte than the largest template of any plan. */
const maxContentBytes = Math.max(...Object.values(plans).map(({ maxTemplateMb }) => maxTemplateMb)) * 1024 * 1024 + 1;

const invalidRequest = (message: string, field?: string): ApiError =>
  ApiError.of('invalid_request', message, field === undefined ? {} : { field });

const repeatedField = (name: string): ApiError =>
  invalidRequest(`The body has the field "${name}" more than once. Send each field once.`, name);
const tooManyValues = (name: string): ApiError =>
  invalidRequest(
    `The body is too large at "${name}". Apart from data and the texts content, header_html and footer_html, ` +
      `a body may hold at most ${maxValues} values in 1 MB.`,
    name,
  );

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidRequest(`The body is not JSON in UTF-8: ${(error as SyntaxError).message}.`);
  }
};

/** Returns the object or array in `data`, if any. @throws ApiError invalid_request for a repeated field and for too many values */
const checkFields = (body: Buffer): JsonField | null => {
  const names = new Set<string>();
  let [values, bytes] = [0, 0];
  let data: JsonField | null = null;
  for (const field of topLevelFields(body)) {
    const { name, start, end } = field;
    if (names.has(name)) throw repeatedField(truncateForMessage(name));
    names.add(name);
    if (name === 'data' && isContainer(body[start])) {
      data = field;
      continue;
    }
    values += field.values;
    const isLongText = unlimitedTextFields.has(name) && body[start] === 0x22;
    bytes += name.length + (isLongText ? 0 : end - start);
    if (values > maxValues || bytes > maxOtherBytes) throw tooManyValues(truncateForMessage(name));
  }
  return data;
};

/** The text with spaces in place of the content of `data`, so that positions in error messages stay correct. */
const withoutData = (body: Buffer, { start, end }: JsonField): Buffer =>
  Buffer.from(body).fill(' ', start + 1, Math.max(start + 1, end - 1));

const placeholder = '...';

/** Moves the long texts out of `fields`. */
const extractLongTexts = (fields: Record<string, unknown>): LongTexts => {
  const longTexts: LongTexts = {};
  for (const name of longTextFields) {
    const text = fields[name];
    if (typeof text !== 'string' || text.length <= maxMainThreadBytes) continue;
    longTexts[name] = Buffer.from(text);
    fields[name] = placeholder;
  }
  // The truncated text is still too long, so that it is rejected.
  if (typeof fields.content === 'string' && fields.content.length > maxContentBytes)
    fields.content = fields.content.slice(0, maxContentBytes);
  return longTexts;
};

/**
 * Reads the JSON object of a body. An object or array in `data` stays as the caller wrote it, with its digits and repeated
 * keys. In a large body it is not parsed here, because millions of values need much time and memory; a conversion process
 * parses it. All other fields are limited. A large body takes up to a second: call this off the event loop.
 * @throws ApiError invalid_request if the body is not a JSON object in UTF-8, repeats a field, or has too many values
 */
export const readJson = (body: Buffer, wantsHash = false): JsonBody => {
  if (!isUtf8(body)) throw invalidRequest('The body is not JSON in UTF-8: it is not valid UTF-8.');
  const large = body.byteLength > maxMainThreadBytes;
  if (large && !beginsObject(body)) throw invalidRequest('The body must be a JSON object.');
  const data = checkFields(body);
  const value = parse((large && data ? withoutData(body, data) : body).toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest('The body must be a JSON object.');
  const fields = value as Record<string, unknown>;
  const texts = extractLongTexts(fields);
  const longTexts = data ? { ...texts, data: body.subarray(data.start, data.end) } : texts;
  return { fields, longTexts, sha256: wantsHash ? hash('sha256', body, 'hex') : null };
};
