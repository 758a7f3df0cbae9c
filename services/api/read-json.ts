import { isUtf8 } from 'node:buffer';
import { Problem } from '#contracts/http/problem.ts';
import { type Outline, outlineOf } from './json-outline.ts';
import { rememberText } from './written-data.ts';

/** Up to this size reading a body whole takes no time that others would notice. */
const smallBytes = 64 * 1024;
/** More than any request has a use for; as many are still read within a moment. */
const mostValues = 50_000;

const invalid = (message: string): Problem => Problem.of('invalid_request', message);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`The body is not JSON in UTF-8: ${(error as SyntaxError).message}`);
  }
};

/** The text with nothing but space in the brackets of `data`, so that places in it stay what they are. */
const withoutData = (body: Buffer, { data }: Outline): Buffer => (data ? Buffer.from(body).fill(' ', data.start + 1, Math.max(data.start + 1, data.end - 1)) : body);

const requireFewValues = ({ others }: Outline): void => {
  if (others > mostValues) throw invalid(`The body has more than ${mostValues} values outside of data; no request has as many.`);
};

/**
 * The JSON object of a body; null where there is no body. An object or array in `data` is kept as the caller wrote it, see {@link rememberText}. In a large body
 * it is not even read here but stands empty: building millions of values would hold up everybody else, and whoever works with them reads them elsewhere.
 * @throws Problem invalid_request for what is no JSON object in UTF-8
 */
export const readJsonObject = (body: Buffer): Record<string, unknown> | null => {
  if (body.byteLength === 0) return null;
  if (!isUtf8(body)) throw invalid('The body is not JSON in UTF-8: it is not valid UTF-8');
  const outline = outlineOf(body);
  const large = body.byteLength > smallBytes;
  if (large) requireFewValues(outline);
  const value = parse((large ? withoutData(body, outline) : body).toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('The body must be a JSON object.');
  const object = value as Record<string, unknown>;
  if (outline.data && typeof object.data === 'object' && object.data !== null) rememberText(object.data, body.subarray(outline.data.start, outline.data.end));
  return object;
};
