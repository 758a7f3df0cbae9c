import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { plans } from '#contracts/plans.ts';
import { truncateForMessage, ApiError } from '#contracts/http/api-error.ts';
import { beginsObject, type JsonField, topLevelFields, isContainer } from './top-level-fields.ts';

/** The long texts of a body, as the bytes that are stored of them. */
export const longTextFields = ['data', 'header_html', 'footer_html'] as const;
export type LongTexts = { [Name in (typeof longTextFields)[number]]?: Uint8Array };

/** A body that was read. What is in `written` counts in place of the value of that name in `fields`, which is then of the same type and no more. `sha256` is that of the body, in hex, where it was asked for. */
export type JsonBody = { fields: Record<string, unknown>; longTexts: LongTexts; sha256: string | null };

/** Up to this size a body, or a text, is parsed on the main thread within a millisecond or two. */
export const maxMainThreadBytes = 64 * 1024;
/** More than any request has a use for; as many are checked within a moment. */
const maxValues = 10_000;
const maxOtherBytes = 1024 * 1024;
const unlimitedTextFields = new Set<string>([...longTextFields, 'content']);
/** No template may have more bytes, whatever the plan. */
const maxContentBytes = Math.max(...Object.values(plans).map(({ maxTemplateMb }) => maxTemplateMb)) * 1024 * 1024 + 1;

const invalidRequest = (message: string, field?: string): ApiError =>
  ApiError.of('invalid_request', message, field === undefined ? {} : { field });

const repeatedField = (name: string): ApiError =>
  invalidRequest(`The field "${name}" is in the body more than once. Send each field once.`, name);
const tooManyValues = (name: string): ApiError =>
  invalidRequest(
    `The body holds too much at "${name}": beside data, and the texts content, header_html and footer_html, a body may hold at most ${maxValues} values in 1 MB.`,
    name,
  );

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidRequest(`The body is not JSON in UTF-8: ${(error as SyntaxError).message}`);
  }
};

/** The object or array in `data`, if there is one. @throws Problem for a field that is repeated, and for more than any request holds */
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

/** The text with nothing but space in the brackets of `data`, so that places in it stay what they are. */
const withoutData = (body: Buffer, { start, end }: JsonField): Buffer =>
  Buffer.from(body).fill(' ', start + 1, Math.max(start + 1, end - 1));

const placeholder = '...';

/** Takes the long texts out of a body. */
const extractLongTexts = (fields: Record<string, unknown>): LongTexts => {
  const written: LongTexts = {};
  for (const name of longTextFields) {
    const text = fields[name];
    if (typeof text !== 'string' || text.length <= maxMainThreadBytes) continue;
    written[name] = Buffer.from(text);
    fields[name] = placeholder;
  }
  // What is too long stays too long.
  if (typeof fields.content === 'string' && fields.content.length > maxContentBytes)
    fields.content = fields.content.slice(0, maxContentBytes);
  return written;
};

/**
 * Reads the JSON object of a body. An object or array in `data` is kept as the caller wrote it, with its digits and repeated keys. In a large body it is not
 * even read here: building millions of values takes long and much memory, and whoever works with them reads them elsewhere. For the same reason everything
 * else is limited. A large body takes up to a second, which is to be spent off the event loop.
 * @throws Problem invalid_request for what is no JSON object in UTF-8, repeats a field, or holds more than any request
 */
export const readJson = (body: Buffer, wantsHash = false): JsonBody => {
  if (!isUtf8(body)) throw invalidRequest('The body is not JSON in UTF-8: it is not valid UTF-8');
  const large = body.byteLength > maxMainThreadBytes;
  if (large && !beginsObject(body)) throw invalidRequest('The body must be a JSON object.');
  const data = checkFields(body);
  const value = parse((large && data ? withoutData(body, data) : body).toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest('The body must be a JSON object.');
  const fields = value as Record<string, unknown>;
  const texts = extractLongTexts(fields);
  const written = data ? { ...texts, data: body.subarray(data.start, data.end) } : texts;
  return { fields, longTexts: written, sha256: wantsHash ? hash('sha256', body, 'hex') : null };
};
