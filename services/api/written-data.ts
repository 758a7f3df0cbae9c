import { Problem } from '#contracts/http/problem.ts';

const texts = new WeakMap<object, Buffer>();

/** Remembers the JSON that an object or array came as. */
export const rememberText = (value: object, json: Buffer): void => void texts.set(value, json);

/**
 * What is stored of `data`: a text as sent, or the JSON of a value: as the caller wrote it, with its digits and repeated keys, where that is known.
 * @throws Problem for a value nested too deeply to be written out
 */
export const dataBytes = (data: unknown): Buffer => {
  if (typeof data === 'string') return Buffer.from(data);
  const written = texts.get(data as object);
  if (written) return written;
  try {
    return Buffer.from(JSON.stringify(data));
  } catch {
    throw Problem.of('invalid_request', 'data is nested too deeply.', { field: 'data' });
  }
};
