/** What JavaScript engines have and TypeScript's declarations lack: the source texts of JSON. */
type JsonWithSourceTexts = {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON?(text: string): ExactNumber;
  isRawJSON?(value: unknown): value is ExactNumber;
};

const json = JSON as unknown as JsonWithSourceTexts;

/** A number with more digits than a number of JavaScript has, as it was written. `JSON.stringify` writes the same. */
export type ExactNumber = { readonly rawJSON: string };

/** Browsers of before 2025 have no exact numbers, and round. */
export const isExactNumber = (value: unknown): value is ExactNumber => json.isRawJSON?.(value) ?? false;

/** Whether a value is or contains an exact number. */
export const hasExactNumber = (value: unknown): boolean =>
  isExactNumber(value) || (typeof value === 'object' && value !== null && Object.values(value).some(hasExactNumber));

/** Whether a value of the data is a number, but none like 1e999. */
export const isFiniteNumber = (value: unknown): boolean =>
  Number.isFinite(isExactNumber(value) ? Number(value.rawJSON) : value);

/** A number of JavaScript represents every decimal number of up to 15 digits exactly. */
const certainDigits = 15;

const longNumber = /[\s:,[-]\d[\d.]{15,}|\d[eE]\+?\d{3}/;

/**
 * Whether an object or array in JSON may have a number that would lose digits. Quick, because most have none. It also finds
 * other texts, which are then only parsed more slowly.
 */
export const hasLongNumber = (text: string): boolean => /^\s*[[{]/.test(text) && longNumber.test(text);

const significantDigits = (number: string): number =>
  number
    .replace(/[eE].*/, '')
    .replaceAll(/\D/g, '')
    .replace(/^0+/, '').length;

const keepDigits = (_key: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === 'number' &&
  source !== undefined &&
  String(value) !== source &&
  (significantDigits(source) > certainDigits || !Number.isFinite(value))
    ? json.rawJSON!(source)
    : value;

/** Parses JSON. In an object or array, a number that would lose digits is an exact number. @throws SyntaxError */
export const parseExactJson = (text: string): unknown =>
  json.rawJSON && hasLongNumber(text) ? json.parse(text, keepDigits) : JSON.parse(text);
