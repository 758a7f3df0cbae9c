const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;
const start = /^[A-Za-z0-9+/]{14}[A-Za-z0-9+/=]{2}/;

/**
 * Decodes canonical base64 (RFC 4648 section 4: padded, no line breaks, unused bits zero); undefined for anything else.
 */
export const fromCanonicalBase64 = (text: string): Buffer | undefined => {
  if (text.length % 4 !== 0 || !alphabet.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};

/** Like {@link fromCanonicalBase64}, but ignores line breaks and other white space, which many encoders insert. */
export const fromBase64 = (text: string): Buffer | undefined =>
  fromCanonicalBase64(/\s/.test(text) ? text.replace(/\s+/g, '') : text);

/** A quick test for undeclared base64, false for nearly all documents. */
export const mayBeBase64 = (text: string): boolean => start.test(text);

const prefix = /^\s*data:[^,]{0,200};base64,/i;

/** The text after `data:...;base64,`; undefined if the text does not begin with it. */
export const afterDataPrefix = (text: string): string | undefined => {
  const match = prefix.exec(text.slice(0, 256));
  return match ? text.slice(match[0].length) : undefined;
};

/** Whether a text is empty, also once it is decoded and without its byte order mark. */
export const isEmptyText = (text: string): boolean => {
  const declared = afterDataPrefix(text);
  return declared === undefined ? text === '' || text === '\ufeff' : ['', '77u/'].includes(declared.trim());
};
