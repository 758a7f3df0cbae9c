const quote = 0x22, backslash = 0x5c, comma = 0x2c, colon = 0x3a, openBrace = 0x7b, closeBrace = 0x7d, openBracket = 0x5b, closeBracket = 0x5d;

/** Where a value stands in the bytes of a JSON text: from `start` to before `end`. */
export type Span = { start: number; end: number };

export type Outline = {
  /** The object or array that the top-level field `data` holds, the last one where there are several; null where it holds none. */
  data: Span | null;
  /** How many values at most there are outside of it. */
  others: number;
};

/** The index of the quote that ends the string which begins at `start`; the length of the text where there is none. */
const endOfString = (json: Buffer, start: number): number => {
  const first = json.indexOf(quote, start + 1);
  if (first < 0) return json.length;
  if (json[first - 1] !== backslash) return first;
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
};

/** The index of the bracket that closes what is opened at `start`; the length of the text where there is none. */
const endOfContainer = (json: Buffer, start: number): number => {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) at = endOfString(json, at);
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if ((byte === closeBrace || byte === closeBracket) && (depth -= 1) === 0) return at;
  }
  return json.length;
};

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const afterSpace = (json: Buffer, from: number): number => {
  let at = from;
  while (isSpace(json[at])) at += 1;
  return at;
};

const plainName = Buffer.from('"data"');
/** With every letter as an escape. */
const longestName = '"\\u0064\\u0061\\u0074\\u0061"'.length;

const isNamedData = (json: Buffer, start: number, end: number): boolean => {
  const key = json.subarray(start, end + 1);
  if (key.equals(plainName)) return true;
  if (key.length > longestName || !key.includes(backslash)) return false;
  try {
    return JSON.parse(key.toString()) === 'data';
  } catch {
    return false;
  }
};

/**
 * Finds the field `data` in the JSON text of an object, in one pass over the bytes that builds nothing. It takes the text for JSON and checks none of it:
 * what it says of other texts is of no use, and does no harm.
 */
export const outlineOf = (json: Buffer): Outline => {
  let depth = 0;
  let others = 1;
  let data: Span | null = null;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) {
      const end = endOfString(json, at);
      const after = afterSpace(json, end + 1);
      const isKey = depth === 1 && json[after] === colon;
      const value = isKey ? afterSpace(json, after + 1) : 0;
      const holdsMany = json[value] === openBrace || json[value] === openBracket;
      if (isKey && holdsMany && isNamedData(json, at, end)) {
        data = { start: value, end: endOfContainer(json, value) + 1 };
        at = data.end - 1;
      } else at = end;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      others += 1;
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else if (byte === comma) others += 1;
  }
  return { data, others };
};
