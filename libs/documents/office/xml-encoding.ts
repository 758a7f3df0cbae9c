/** Encodings in which each ASCII byte is that character, so that a parser finds the same tags as this service. */
const asciiEncodings = /^(?:utf-?8|(?:us-)?ascii|iso[-_]?8859-\d{1,2}|latin-?1|(?:windows-|cp)125\d)$/i;
/** The names of UTF-16; in a file whose characters are single bytes they are an error that parsers pass over. */
const utf16Encodings = /^utf-?16(?:le|be)?$/i;

const declaration = /^\uFEFF?<\?xml\s[^>]*?\sencoding\s*=\s*(?:"([^"]*)"|'([^']*)')/;

const declaredEncoding = (start: string): string | null => {
  const found = declaration.exec(start);
  return found ? (found[1] ?? found[2]!) : null;
};

/** UTF-16 by its byte order mark, or by the zero byte of the first character (XML 1.0, appendix F). */
const utf16Of = ([first, second]: Uint8Array): string | null => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : null;
};

/** No longer declaration is read. Parsers limit it as well. */
const maxDeclarationBytes = 1_000;

const decode = (content: Uint8Array, encoding: string): string | null => {
  try {
    return new TextDecoder(encoding, { ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
};

/**
 * The text of an XML file; null for an encoding that no office program writes, in which tags could hide from the checks
 * of this service.
 */
export const readXml = (content: Uint8Array): string | null => {
  const utf16 = utf16Of(content);
  const start = decode(content.subarray(0, maxDeclarationBytes), utf16 ?? 'utf-8') ?? '';
  const declared = declaredEncoding(start);
  const isUtf16 = declared !== null && utf16Encodings.test(declared);
  if (declared !== null && !isUtf16 && !asciiEncodings.test(declared)) return null;
  const encoding = utf16 ?? (declared === null || isUtf16 ? 'utf-8' : declared.replace(/^cp/i, 'windows-'));
  const text = decode(content, encoding);
  // XML has no zero characters, so one tells an encoding of four bytes. EBCDIC has another character as its `<`.
  return text === null || text.includes('\0') || /^\s*Lo\uFFFD/.test(text) ? null : text.replace(/^\uFEFF/, '');
};

/** XML in UTF-8, also if it declares another encoding. */
export const encodeXml = (xml: string): Buffer =>
  Buffer.from(xml.replace(/^(\uFEFF?<\?xml[^>]*?encoding\s*=\s*)(?:"[^"]*"|'[^']*')/, '$1"UTF-8"'));
