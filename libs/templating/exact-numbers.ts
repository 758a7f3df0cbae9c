/** What JavaScript engines have and TypeScript's declarations lack: the source texts of JSON. */
type JsonWithSourceTexts = {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
};

const json = JSON as unknown as JsonWithSourceTexts;

/** A number with more digits than a number of JavaScript has, as it was written. `JSON.stringify` writes the same. */
export type ExactNumber = { readonly rawJSON: string };

export const isExactNumber = (value: unknown): value is ExactNumber => json.isRawJSON(value);

/** Whether a value of the data is a number, but none like 1e999. */
export const isFiniteNumber = (value: unknown): boolean =>
  Number.isFinite(isExactNumber(value) ? Number(value.rawJSON) : value);

/** A number of JavaScript represents every decimal number of up to 15 digits exactly. */
const certainDigits = 15;

// Quick, because most texts have no such number. It also finds other texts, which are then only parsed more slowly.
const mayHaveLongNumber = /(?:^|[\s:,[-])\d[\d.]{15,}|\d[eE]\+?\d{3}/;

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
    ? json.rawJSON(source)
    : value;

/** Parses JSON. A number that would lose digits is an exact number. @throws SyntaxError */
export const parseExactJson = (text: string): unknown =>
  mayHaveLongNumber.test(text) ? json.parse(text, keepDigits) : JSON.parse(text);
