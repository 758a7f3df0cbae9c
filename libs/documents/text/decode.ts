import { isUtf8 } from 'node:buffer';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import { inputError, type TextInputType, inputTypeTitles } from '../input.ts';
import { afterDataPrefix, fromBase64, fromCanonicalBase64, mayBeBase64 } from './base64.ts';

/** Whether bytes begin with a UTF-16 byte order mark, or with a NUL at every second place. */
const looksLikeUtf16 = (bytes: Uint8Array): boolean => {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  const sample = bytes.subarray(0, Math.min(64, bytes.length & ~1));
  return sample.length >= 4 && (zerosAlternate(sample, 0) || zerosAlternate(sample, 1));
};

const zerosAlternate = (sample: Uint8Array, phase: 0 | 1): boolean =>
  sample.every((byte, index) => (byte === 0) === (index % 2 === phase));

/** The line of the character at `offset`, counted from 1. CR LF, LF and CR end a line. */
const lineAt = (text: string, offset: number): number => (text.slice(0, offset).match(/\r\n|\r|\n/g)?.length ?? 0) + 1;

// eslint-disable-next-line no-control-regex
const controlCharacters = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]/;

/**
 * Decodes the text that a caller sent as `data`: plain text, or base64 if a `data:...;base64,` prefix declares it or if
 * it can be nothing else. Removes a byte order mark. With `isFile`, `data` is a text file, never base64.
 * @throws ApiError for text that is not UTF-8 or contains NUL characters
 */
export const decodeText = (inputType: TextInputType, data: Uint8Array, isFile = false): string => {
  const sent = readUtf8(inputType, asBuffer(data));
  if (isFile) return requireNoNul(inputType, sent);
  const declared = afterDataPrefix(sent);
  if (declared !== undefined) return requireNoNul(inputType, decodeDeclaredBase64(inputType, declared));
  return requireNoNul(inputType, detectBase64(inputType, sent) ?? sent);
};

const readUtf8 = (inputType: TextInputType, bytes: Buffer): string => {
  if (looksLikeUtf16(bytes)) throw utf16Error(inputType);
  if (!isUtf8(bytes))
    throw inputError(inputType, `The ${inputTypeTitles[inputType]} is not UTF-8 text. Send it encoded as UTF-8.`, {
      details: 'not UTF-8',
      line: firstBadLine(bytes),
    });
  const text = bytes.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
};

const utf16Error = (inputType: TextInputType) =>
  inputError(
    inputType,
    `The ${inputTypeTitles[inputType]} is UTF-16 text. Only UTF-8 is supported: save or send it encoded as UTF-8.`,
    { details: 'UTF-16 text', line: 1 },
  );

const firstBadLine = (bytes: Buffer): number => {
  const decoded = bytes.toString('utf8');
  return lineAt(decoded, Math.max(0, decoded.indexOf('\ufffd')));
};

const decodeDeclaredBase64 = (inputType: TextInputType, encoded: string): string => {
  const bytes = fromBase64(encoded);
  if (!bytes)
    throw inputError(inputType, 'The data after ";base64," is not base64.', { details: 'invalid base64', line: 1 });
  return readUtf8(inputType, bytes);
};

const detectBase64 = (inputType: TextInputType, sent: string): string | undefined => {
  const bytes = mayBeBase64(sent) ? fromCanonicalBase64(sent) : undefined;
  if (!bytes) return undefined;
  if (looksLikeUtf16(bytes)) throw utf16Error(inputType);
  if (!isUtf8(bytes)) return undefined;
  const text = readUtf8(inputType, bytes);
  return !controlCharacters.test(text) && looksLikeType[inputType](text) ? text : undefined;
};

const beginsWithTag = (text: string): boolean => text.trimStart().startsWith('<');

const parsesAsJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const acceptAny = () => true;

const looksLikeType: Record<TextInputType, (text: string) => boolean> = {
  html: beginsWithTag,
  xml: beginsWithTag,
  json: parsesAsJson,
  markdown: acceptAny,
  csv: acceptAny,
};

const requireNoNul = (inputType: TextInputType, text: string): string => {
  const nul = text.indexOf('\0');
  if (nul < 0) return text;
  throw inputError(
    inputType,
    `The ${inputTypeTitles[inputType]} contains a NUL character. Remove it, or send the text encoded as UTF-8.`,
    { details: 'NUL character', line: lineAt(text, nul) },
  );
};
