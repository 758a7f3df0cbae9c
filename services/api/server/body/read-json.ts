import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { decodedSize, isBase64 } from '#contracts/http/attachments.ts';
import { largeOptions } from '#contracts/http/large-options.ts';
import { isObject } from '#contracts/http/type-names.ts';
import { plans } from '#contracts/plans.ts';
import type { LongTexts, Upload } from '#application/renders/render-content.ts';
import { hasLongNumber } from '#contracts/http/exact-numbers.ts';
import { truncateForMessage, ApiError, invalidField } from '#contracts/http/api-error.ts';
import { arrayItems, beginsObject, type JsonField, topLevelFields, isContainer } from './top-level-fields.ts';

/** The fields with long texts. */
export const longTextFields = ['data', 'header_html', 'footer_html'] as const satisfies (keyof LongTexts)[];

/**
 * A parsed body. A text in `longTexts` replaces the value of that name in `fields`, which is then a placeholder of the
 * same type. Files in `longTexts.attachments` replace the `data` of the attachments in `fields` in the same way.
 * `sha256` is the hash of the body in hex, if it was requested.
 */
export type RequestBody = {
  fields: Record<string, unknown>;
  longTexts: LongTexts;
  /** The long texts of each of the `parts` of a composed document. Absent without such a field. */
  partTexts?: LongTexts[];
  sha256: string | null;
  /**
   * The JSON of `sample_data` if `fields` may lack digits of its numbers. It is not parsed here, because exact numbers
   * cannot be sent to another thread.
   */
  exactSampleData?: string;
  /** What a multipart body has besides fields. */
  upload?: Upload;
};

/** A body or text up to this size is parsed on the main thread, which takes one or two milliseconds. */
export const maxMainThreadBytes = 64 * 1024;
type Amount = { values: number; bytes: number };
/** More than any request, or any of its parts, needs; this number is checked quickly. */
const maxAmount: Amount = { values: 10_000, bytes: 1024 * 1024 };
/** The same for all parts together. */
const maxAmountOfParts: Amount = { values: 50_000, bytes: 4 * 1024 * 1024 };
/** Many more than any object of a request has. Each unknown one is compared with all known ones. */
const maxFields = 200;
/** More than any field needs. Values that are nested thousands of times cannot be sent to another thread. */
export const maxNestingDepth = 32;
const unlimitedTextFields = new Set<string>([...longTextFields, 'content']);
/** One more byte than the largest template of any plan. */
const maxContentBytes = Math.max(...Object.values(plans).map(({ maxTemplateMb }) => maxTemplateMb)) * 1024 * 1024 + 1;

const invalidRequest = (message: string, field = 'body'): ApiError => invalidField(field, message);

const repeatedField = (name: string): ApiError =>
  invalidRequest(`The body has the field "${name}" more than once. Send each field once.`, name);
const tooManyValues = (what: string, name: string, { values, bytes }: Amount): ApiError =>
  invalidRequest(
    `${what} too large at "${name}". Apart from data, attachments and the texts content, header_html and footer_html, ` +
      `at most ${values} values in ${bytes / 1024 / 1024} MB are allowed.`,
    name,
  );

const tooManyFields = (): ApiError =>
  invalidRequest(`The body has more than ${maxFields} fields. Data of templates belongs in the field "data".`);

const exceeds = (amount: Amount, limit: Amount): boolean => amount.values > limit.values || amount.bytes > limit.bytes;

const nestedTooDeeply = (name: string): ApiError =>
  invalidRequest(`"${name}" is nested too deeply: at most ${maxNestingDepth} levels are allowed.`, name);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidRequest(`The body is not JSON in UTF-8: ${(error as SyntaxError).message}.`);
  }
};

/**
 * Returns the object or array in `data`, if any. `jsonFields` are those of the body; `ofParts` counts what the parts have
 * together. @throws ApiError invalid_request for a repeated field and for too many fields or values
 */
const checkFields = (body: Buffer, jsonFields: readonly JsonField[], ofParts?: Amount): JsonField | null => {
  const names = new Set<string>();
  const amount: Amount = { values: 0, bytes: 0 };
  const amounts = ofParts ? [amount, ofParts] : [amount];
  let data: JsonField | null = null;
  for (const field of jsonFields) {
    const { name, start, end } = field;
    if (names.has(name)) throw repeatedField(truncateForMessage(name));
    names.add(name);
    if (names.size > maxFields) throw tooManyFields();
    if (name === 'data' && isContainer(body[start])) {
      data = field;
      continue;
    }
    // Those of a part are not read one by one.
    if (!ofParts && name === 'parts' && body[start] === 0x5b) continue;
    const isLongText = unlimitedTextFields.has(name) && body[start] === 0x22;
    const bytes = name.length + (isLongText || Object.hasOwn(largeOptions, name) ? 0 : end - start);
    for (const counted of amounts) {
      counted.values += field.values;
      counted.bytes += bytes;
    }
    if (exceeds(amount, maxAmount)) throw tooManyValues('The body is', truncateForMessage(name), maxAmount);
    if (ofParts && exceeds(ofParts, maxAmountOfParts))
      throw tooManyValues('The parts together are', truncateForMessage(name), maxAmountOfParts);
    if (field.depth > maxNestingDepth) throw nestedTooDeeply(truncateForMessage(name));
  }
  return data;
};

/** The first top-level fields: one more than allowed, so that a body with too many is rejected. */
const firstFieldsOf = (body: Buffer): JsonField[] =>
  topLevelFields(body)
    .take(maxFields + 1)
    .toArray();

/** The array `parts` of a composed document, whose items are read one by one. */
const partsOf = (body: Buffer, jsonFields: readonly JsonField[]): JsonField | undefined =>
  jsonFields.find(({ name, start }) => name === 'parts' && body[start] === 0x5b);

/**
 * The same with an empty object or array in place of data that `longTexts` has, too. It would be copied to another
 * thread, which fails if it is nested thousands of times.
 */
export const withoutParsedData = <T extends Pick<RequestBody, 'fields' | 'longTexts'>>(read: T): T => {
  const { fields, longTexts } = read;
  if (!longTexts.data || typeof fields.data !== 'object') return read;
  return { ...read, fields: { ...fields, data: Array.isArray(fields.data) ? [] : {} } };
};

const maxReadParts = 1001;

/** Reads each part like a body of its own. @throws ApiError invalid_request that names the part */
const readParts = (body: Buffer, parts: JsonField): Pick<RequestBody, 'fields' | 'longTexts'>[] => {
  const read: Pick<RequestBody, 'fields' | 'longTexts'>[] = [];
  const amount: Amount = { values: 0, bytes: 0 };
  for (const { start, end } of arrayItems(body, parts.start)) {
    if (read.length === maxReadParts) break;
    const at = `parts[${read.length}]`;
    const part = body.subarray(start, end);
    try {
      read.push(withoutParsedData(readObject(part, firstFieldsOf(part), amount)));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const field = String(error.fields.extra['field']);
      throw ApiError.from({
        ...error.fields,
        message: error.message.replaceAll(/\b[Tt]he body\b/g, at),
        extra: { ...error.fields.extra, field: field === 'body' ? at : `${at}.${field}` },
      });
    }
  }
  return read;
};

/** The text with spaces in place of the content of `data`, so that positions in error messages stay correct. */
const withoutData = (body: Buffer, { start, end }: JsonField): Buffer => {
  // A buffer of its own can be transferred to another thread.
  const copy = Buffer.allocUnsafeSlow(body.byteLength);
  body.copy(copy);
  return copy.fill(' ', start + 1, Math.max(start + 1, end - 1));
};

/** Takes the place of a long text. */
export const placeholder = '...';

/** Base64, so that the schema accepts it. */
export const attachmentPlaceholder = 'Li4u';
/** Replaces long data that is not base64. The schema rejects it with the same error. */
const invalidBase64 = '-';

/** Moves the bytes of attachments out of `fields`. Null for an entry without valid data. */
const extractFiles = ({ attachments }: Record<string, unknown>): Pick<LongTexts, 'attachments'> => {
  if (!Array.isArray(attachments)) return {};
  const extract = (entry: unknown): Uint8Array | null => {
    if (!isObject(entry) || typeof entry['data'] !== 'string' || entry['data'] === '') return null;
    const { data } = entry;
    const isValid = isBase64(data);
    entry['data'] = isValid ? attachmentPlaceholder : invalidBase64;
    if (!isValid) return null;
    // A buffer of its own can be transferred to another thread.
    const bytes = Buffer.allocUnsafeSlow(decodedSize(data));
    bytes.write(data, 'base64');
    return bytes;
  };
  return { attachments: attachments.map(extract) };
};

/** Moves the long texts out of `fields`. */
const extractLongTexts = (fields: Record<string, unknown>): LongTexts => {
  const longTexts: LongTexts = extractFiles(fields);
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

/** Templates are filled in with sample data, too. Only an object is allowed there. */
const exactSampleDataIn = (
  body: Buffer,
  jsonFields: readonly JsonField[],
  { sample_data: data }: Record<string, unknown>,
): Pick<RequestBody, 'exactSampleData'> => {
  const field = isObject(data) && jsonFields.find(({ name }) => name === 'sample_data');
  if (!field) return {};
  const text = body.subarray(field.start, field.end).toString();
  return hasLongNumber(text) ? { exactSampleData: text } : {};
};

/** RFC 8259 (8.1) allows to ignore a byte order mark. */
const withoutByteOrderMark = (body: Buffer): Buffer =>
  body.subarray(0, 3).equals(Buffer.from('\ufeff')) ? body.subarray(3) : body;

/**
 * Reads the JSON object of a body. An object or array in `data` stays as the caller wrote it, with its digits and
 * repeated keys. In a large body it is not parsed here, because millions of values need much time and memory; a
 * conversion process parses it. All other fields are limited. A large body takes up to a second: call this off the
 * event loop.
 * @throws ApiError invalid_request if the body is not a JSON object in UTF-8, repeats a field, or has too many values
 */
export const readJson = (bytes: Buffer, wantsHash = false): RequestBody => {
  const body = withoutByteOrderMark(bytes);
  // A JSON text never begins with two hyphens; a form does, with its boundary.
  if (body.subarray(0, 2).toString('latin1') === '--')
    throw invalidRequest(
      'The body is a form (multipart/form-data), but its Content-Type is that of JSON. Let the client set this header.',
      'Content-Type',
    );
  if (!isUtf8(body)) throw invalidRequest('The body is not JSON in UTF-8: it is not valid UTF-8.');
  const sha256 = wantsHash ? hash('sha256', body, 'hex') : null;
  const jsonFields = firstFieldsOf(body);
  const parts = partsOf(body, jsonFields);
  if (!parts) {
    const read = readObject(body, jsonFields);
    return { ...read, ...exactSampleDataIn(body, jsonFields, read.fields), sha256 };
  }
  const read = readParts(body, parts);
  // The text keeps its length, so the fields stay where they were.
  const { fields, longTexts } = readObject(withoutData(body, parts), jsonFields);
  return {
    fields: { ...fields, parts: read.map((part) => part.fields) },
    longTexts,
    partTexts: read.map((part) => part.longTexts),
    sha256,
  };
};

const readObject = (
  body: Buffer,
  jsonFields: readonly JsonField[],
  ofParts?: Amount,
): Pick<RequestBody, 'fields' | 'longTexts'> => {
  const large = body.byteLength > maxMainThreadBytes;
  if (large && !beginsObject(body)) throw invalidRequest('The body must be a JSON object.');
  const data = checkFields(body, jsonFields, ofParts);
  const value = parse((large && data ? withoutData(body, data) : body).toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest('The body must be a JSON object.');
  const fields = value as Record<string, unknown>;
  const texts = extractLongTexts(fields);
  const longTexts = data ? { ...texts, data: body.subarray(data.start, data.end) } : texts;
  return { fields, longTexts };
};
