/** Spaces other than U+0020 (RFC 3454, table C.1.2). */
const otherSpaces = /[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000]/g;
/** Characters that do not matter to a password (RFC 3454, table B.1). */
const ignoredCharacters =
  /\u{AD}|\u{34F}|\u{1806}|[\u{180B}-\u{180D}]|\u{200C}|\u{200D}|\u{2060}|[\u{FE00}-\u{FE0F}]|\u{FEFF}/gu;

/**
 * The form of a password that is encrypted and compared: SASLprep (RFC 4013), as ISO 32000-2, 7.6.4.3.3 says. Two ways
 * to type the same characters then give the same password.
 */
export const preparePdfPassword = (password: string): string =>
  password.replaceAll(otherSpaces, ' ').replaceAll(ignoredCharacters, '').normalize('NFKC');

/** Of the prepared password in UTF-8 (ISO 32000-2, 7.6.4.3.3). */
export const maxPdfPasswordBytes = 127;

/** The prepared password in UTF-8. */
export const pdfPasswordBytes = (password: string): Uint8Array =>
  new TextEncoder().encode(preparePdfPassword(password));

/** Characters that a password must not have: control characters, private use, and parts of characters (RFC 4013, 2.3). */
export const hasProhibitedCharacters = (password: string): boolean =>
  !password.isWellFormed() ||
  /[\p{Cc}\p{Co}\p{Noncharacter_Code_Point}\u200E\u200F\u2028-\u202E\uFFF9-\uFFFD]/u.test(password);
