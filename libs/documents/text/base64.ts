const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;
const start = /^[A-Za-z0-9+/]{16}/;

/** The bytes of canonical base64 (RFC 4648 section 4: padded, no line breaks, unused bits zero), else undefined. */
export const fromCanonicalBase64 = (text: string): Buffer | undefined => {
  if (text.length % 4 !== 0 || !alphabet.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};

/** As {@link fromCanonicalBase64}, but line breaks and other white space, as many encoders put in, are passed over. */
export const fromBase64 = (text: string): Buffer | undefined =>
  fromCanonicalBase64(/\s/.test(text) ? text.replace(/\s+/g, '') : text);

/** True where text could be base64 that nobody announced: cheap, and false for nearly all documents. */
export const mayBeBase64 = (text: string): boolean => start.test(text);

const prefix = /^\s*data:[^,]{0,200};base64,/i;

/** What follows `data:...;base64,`, or undefined where the text does not begin so. */
export const afterDataPrefix = (text: string): string | undefined => {
  const match = prefix.exec(text.slice(0, 256));
  return match ? text.slice(match[0].length) : undefined;
};
