/**
 * The parameters of a `Content-Disposition: form-data` header that a service needs; null for those it does not have.
 */
export type Disposition = { name: string | null; fileName: string | null };

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
