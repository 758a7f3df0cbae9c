const quote = 0x22,
  backslash = 0x5c,
  comma = 0x2c,
  colon = 0x3a,
  openBrace = 0x7b,
  closeBrace = 0x7d,
  openBracket = 0x5b,
  closeBracket = 0x5d;

/** A field of a JSON object: its name, and the byte range of its value, from `start` to before `end`. */
export type JsonField = {
  name: string;
  start: number;
  end: number;
  /** The maximum number of values in the field, its own value included. */
  values: number;
  /** How deeply its objects and arrays are nested; 0 for any other value. */
  depth: number;
};

/** The index of the closing quote of the string that begins at `start`; the length of the text if there is none. */
const endOfString = (json: Buffer, start: number): number => {
  const first = json.indexOf(quote, start + 1);
  if (first < 0) return json.length;
  if (json[first - 1] !== backslash) return first;
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return Math.min(at, json.length);
};

type End = { end: number; values: number; depth: number };

/** The end of the object or array that begins at `start`. */
const afterContainer = (json: Buffer, start: number): End => {
  let depth = 0;
  let values = 1;
  let maxDepth = 0;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) at = endOfString(json, at);
    else if (byte === comma) values += 1;
    else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      values += 1;
      maxDepth = Math.max(maxDepth, depth);
    } else if ((byte === closeBrace || byte === closeBracket) && (depth -= 1) === 0)
      return { end: at + 1, values, depth: maxDepth };
  }
  return { end: json.length, values, depth: maxDepth };
};

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const endsScalar = (byte: number | undefined): boolean => byte === comma || byte === closeBrace || isSpace(byte);

const afterSpace = (json: Buffer, from: number): number => {
  let at = from;
  while (isSpace(json[at])) at += 1;
  return at;
};

const afterScalar = (json: Buffer, start: number): End => {
  let at = start;
  while (at < json.length && !endsScalar(json[at])) at += 1;
  return { end: at, values: 1, depth: 0 };
};

export const isContainer = (byte: number | undefined): boolean => byte === openBrace || byte === openBracket;

const afterValue = (json: Buffer, start: number): End => {
  if (json[start] === quote) return { end: Math.min(endOfString(json, start) + 1, json.length), values: 1, depth: 0 };
  return isContainer(json[start]) ? afterContainer(json, start) : afterScalar(json, start);
};

/** The byte ranges of the items of a JSON array that begins at `start`. Ends early if the text is not JSON. */
export function* arrayItems(json: Buffer, start: number): Generator<{ start: number; end: number }> {
  for (let at = afterSpace(json, start + 1); at < json.length && json[at] !== closeBracket;) {
    const { end } = afterValue(json, at);
    if (end <= at) return;
    yield { start: at, end };
    at = afterSpace(json, end);
    if (json[at] !== comma) return;
    at = afterSpace(json, at + 1);
  }
}

/** The name in the text of a key; null if the text is not a JSON string. */
const nameOf = (key: Buffer): string | null => {
  try {
    return JSON.parse(key.toString()) as string;
  } catch {
    return null;
  }
};

/** How deeply the objects and arrays of a JSON text are nested. */
export const nestingDepthOf = (json: Buffer): number => afterContainer(json, 0).depth;

/** Whether the text begins like an object. */
export const beginsObject = (json: Buffer): boolean => json[afterSpace(json, 0)] === openBrace;

/**
 * The top-level fields of the JSON text of an object, in order, found in one pass over the bytes without building
 * values. Ends early if the text is not JSON; a parser then fails there, or in a field that was returned before.
 */
export function* topLevelFields(json: Buffer): Generator<JsonField> {
  if (!beginsObject(json)) return;
  for (let at = afterSpace(json, 0) + 1; ; at += 1) {
    const key = afterSpace(json, at);
    if (json[key] !== quote) return;
    const keyEnd = endOfString(json, key) + 1;
    const name = nameOf(json.subarray(key, keyEnd));
    const after = afterSpace(json, keyEnd);
    if (name === null || json[after] !== colon) return;
    const start = afterSpace(json, after + 1);
    const { end, values, depth } = afterValue(json, start);
    yield { name, start, end, values, depth };
    at = afterSpace(json, end);
    if (json[at] !== comma) return;
  }
}
