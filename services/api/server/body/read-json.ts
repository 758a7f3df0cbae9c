import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { plans } from '#contracts/plans.ts';
import { brief, Problem } from '#contracts/http/problem.ts';
import { beginsObject, type Field, fieldsOf, isContainer } from './json-outline.ts';

/** The long texts of a body, as the bytes that are stored of them. */
export const longTexts = ['data', 'header_html', 'footer_html'] as const;
export type Written = { [Name in (typeof longTexts)[number]]?: Uint8Array };

/** A body that was read. What is in `written` counts in place of the value of that name in `fields`, which is then of the same type and no more. `sha256` is that of the body, in hex, where it was asked for. */
export type JsonBody = { fields: Record<string, unknown>; written: Written; sha256: string | null };

/** Up to this size a body, or a text, is parsed on the main thread within a millisecond or two. */
export const smallBytes = 64 * 1024;
/** More than any request has a use for; as many are checked within a moment. */
const mostValues = 10_000;
const mostOtherBytes = 1024 * 1024;
const ofAnyLength = new Set<string>([...longTexts, 'content']);
/** No template may have more bytes, whatever the plan. */
const longestContent = Math.max(...Object.values(plans).map(({ maxTemplateMb }) => maxTemplateMb)) * 1024 * 1024 + 1;

const invalid = (message: string, field?: string): Problem => Problem.of('invalid_request', message, field === undefined ? {} : { field });

const repeated = (name: string): Problem => invalid(`The field "${name}" is in the body more than once. Send each field once.`, name);
const tooMuch = (name: string): Problem =>
  invalid(`The body holds too much at "${name}": beside data, and the texts content, header_html and footer_html, a body may hold at most ${mostValues} values in 1 MB.`, name);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`The body is not JSON in UTF-8: ${(error as SyntaxError).message}`);
  }
};

/** The object or array in `data`, if there is one. @throws Problem for a field that is repeated, and for more than any request holds */
const checkFields = (body: Buffer): Field | null => {
  const names = new Set<string>();
  let [values, bytes] = [0, 0];
  let data: Field | null = null;
  for (const field of fieldsOf(body)) {
    const { name, start, end } = field;
    if (names.has(name)) throw repeated(brief(name));
    names.add(name);
    if (name === 'data' && isContainer(body[start])) {
      data = field;
      continue;
    }
    values += field.values;
    const isLongText = ofAnyLength.has(name) && body[start] === 0x22;
    bytes += name.length + (isLongText ? 0 : end - start);
    if (values > mostValues || bytes > mostOtherBytes) throw tooMuch(brief(name));
  }
  return data;
};

/** The text with nothing but space in the brackets of `data`, so that places in it stay what they are. */
const withoutData = (body: Buffer, { start, end }: Field): Buffer => Buffer.from(body).fill(' ', start + 1, Math.max(start + 1, end - 1));

const standIn = '...';

/** Takes the long texts out of a body. */
const takeTexts = (fields: Record<string, unknown>): Written => {
  const written: Written = {};
  for (const name of longTexts) {
    const text = fields[name];
    if (typeof text !== 'string' || text.length <= smallBytes) continue;
    written[name] = Buffer.from(text);
    fields[name] = standIn;
  }
  // What is too long stays too long.
  if (typeof fields.content === 'string' && fields.content.length > longestContent) fields.content = fields.content.slice(0, longestContent);
  return written;
};

/**
 * Reads the JSON object of a body. An object or array in `data` is kept as the caller wrote it, with its digits and repeated keys. In a large body it is not
 * even read here: building millions of values takes long and much memory, and whoever works with them reads them elsewhere. For the same reason everything
 * else is limited. A large body takes up to a second, which is to be spent off the event loop.
 * @throws Problem invalid_request for what is no JSON object in UTF-8, repeats a field, or holds more than any request
 */
export const readJson = (body: Buffer, wantsHash = false): JsonBody => {
  if (!isUtf8(body)) throw invalid('The body is not JSON in UTF-8: it is not valid UTF-8');
  const large = body.byteLength > smallBytes;
  if (large && !beginsObject(body)) throw invalid('The body must be a JSON object.');
  const data = checkFields(body);
  const value = parse((large && data ? withoutData(body, data) : body).toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('The body must be a JSON object.');
  const fields = value as Record<string, unknown>;
  const texts = takeTexts(fields);
  const written = data ? { ...texts, data: body.subarray(data.start, data.end) } : texts;
  return { fields, written, sha256: wantsHash ? hash('sha256', body, 'hex') : null };
};
