import { Dicer } from '@fastify/busboy';
import type { ApiError } from '#contracts/http/api-error.ts';
import { truncateForMessage, invalidField } from '#contracts/http/api-error.ts';

/**
 * The parameters of a `Content-Disposition: form-data` header that a service needs; null for those it does not have.
 */
type Disposition = { name: string | null; fileName: string | null };

// The alternatives in quotation marks never match the same text, so that the pattern takes linear time.
const parameterPattern = /;[\t ]*([^\s=;"]+)[\t ]*=[\t ]*(?:"((?:\\["\\]|[^"\\]|\\(?!["\\]))*)"|([^\s;"]*))/g;

/** Header bytes that were read as Latin-1. Browsers and most clients send names in UTF-8. */
const decodeBytes = (latin1: string): string => {
  const bytes = Buffer.from(latin1, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return latin1;
  }
};

/** Browsers send `"`, CR and LF in a name as percent escapes, and no other characters (HTML, multipart/form-data). */
const unescapeName = (quoted: string): string =>
  decodeBytes(quoted.replaceAll(/\\(["\\])/g, '$1')).replaceAll(/%(22|0d|0a)/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** Decodes a value such as `UTF-8''na%C3%AFve.png` (RFC 5987); undefined if it is not one. */
const decodeExtended = (value: string): string | undefined => {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value)?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
};

/** Reads a Content-Disposition header (RFC 7578, 4.2), read as Latin-1; undefined if it is not `form-data`. */
export const parseDisposition = (header: string): Disposition | undefined => {
  if (!/^\s*form-data\s*(?:;|$)/i.test(header)) return undefined;
  const values = new Map<string, string>();
  for (const [, name, quoted, token = ''] of header.matchAll(parameterPattern)) {
    const key = name!.toLowerCase();
    const value = key.endsWith('*') ? decodeExtended(quoted ?? token) : unescapeName(quoted ?? token);
    if (value !== undefined && !values.has(key)) values.set(key, value);
  }
  return {
    name: values.get('name') || null,
    fileName: values.get('filename*') || values.get('filename') || null,
  };
};

/** A part of a multipart/form-data body. `type` is its content type without parameters, in lower case. */
export type Part = { name: string; fileName: string | null; type: string | null; bytes: Uint8Array };

/** More than the assets, the fields and the document need. */
const maxParts = 600;
const maxPartHeaderBytes = 8 * 1024;

const invalidBody = (message: string, field = 'Content-Type'): ApiError => invalidField(field, message);

const partError = (index: number, problem: string): ApiError =>
  invalidBody(`Part ${index + 1} of the body ${problem}.`, `parts[${index}]`);

const readHeaders = (headers: Partial<Record<string, string[]>>, index: number): Omit<Part, 'bytes'> => {
  const size = Object.entries(headers).reduce((sum, [name, values]) => sum + name.length + values!.join('').length, 0);
  if (size > maxPartHeaderBytes) throw partError(index, `has headers of more than ${maxPartHeaderBytes / 1024} KB`);
  const [header] = headers['content-disposition'] ?? [];
  const disposition = header === undefined ? undefined : parseDisposition(header);
  if (!disposition) throw partError(index, 'has no header "Content-Disposition: form-data"');
  const { name, fileName } = disposition;
  if (name === null) throw partError(index, 'has no name in its Content-Disposition header');
  const encoding = headers['content-transfer-encoding']?.[0]?.trim().toLowerCase() ?? 'binary';
  if (!['binary', '8bit', '7bit'].includes(encoding))
    throw partError(index, `has the Content-Transfer-Encoding ${truncateForMessage(encoding)}; send it unencoded`);
  const type = headers['content-type']?.[0]?.split(';')[0]!.trim().toLowerCase();
  return { name, fileName, type: type || null };
};

/** The chunks as one array with a buffer of its own, which can be transferred to another thread. */
export const joinChunks = (chunks: readonly Uint8Array[]): Uint8Array => {
  const joined = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return joined;
};

const incomplete = (): ApiError =>
  invalidBody('The multipart body is broken: a boundary or the end is missing, or does not match the content type.');

/**
 * Splits a multipart/form-data body into its parts. Takes some milliseconds for each MB.
 * @throws ApiError invalid_request for a broken body, a part without a name, and too many parts
 */
export const readParts = async (body: Uint8Array, boundary: string): Promise<Part[]> => {
  const parts: Promise<Part>[] = [];
  // Refuses the body in the middle of a write, so that nothing after it is parsed.
  const openPart = (stream: Dicer.PartStream): void => {
    const index = parts.length;
    if (index === maxParts) throw invalidBody(`The body has more than ${maxParts} parts.`, `parts[${index}]`);
    const chunks: Uint8Array[] = [];
    let head: Omit<Part, 'bytes'> | undefined;
    const { promise, resolve, reject } = Promise.withResolvers<Part>();
    promise.catch(() => undefined);
    parts.push(promise);
    stream.on('header', (headers) => (head = readHeaders(headers, index)));
    stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('end', () =>
      head ? resolve({ ...head, bytes: joinChunks(chunks) }) : reject(partError(index, 'has no header')),
    );
  };
  await new Promise<void>((resolve, reject) => {
    const parser = new Dicer({ boundary });
    parser.on('part', openPart);
    parser.on('error', () => reject(incomplete()));
    parser.on('finish', resolve);
    try {
      parser.end(body);
    } catch (error) {
      reject(error);
    }
  });
  return Promise.all(parts);
};
