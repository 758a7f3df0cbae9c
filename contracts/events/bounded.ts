import { z } from 'zod';

/** Schemas for event data. Each has a maximum size, so that no event is too large for the event log. */

/** The maximum size of a schema's values: `bytes` of JSON in UTF-8, or `items` of a list or record. */
export const bounds = z.registry<{ bytes: number } | { items: number }>();

const bounded = <S extends z.ZodType>(schema: S, bound: { bytes: number } | { items: number }): S => {
  bounds.add(schema, bound);
  return schema;
};

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
const ellipsis = '…';
/** A UTF-16 unit needs at most six bytes in JSON: a control character, or half of a surrogate pair. */
const maxBytesPerUnit = 6;

/** Truncates a text with an ellipsis to at most `maxBytes` bytes of JSON in UTF-8. `maxBytes` is at least 5. */
export const truncateText = (text: string, maxBytes: number): string => {
  if (text.length * maxBytesPerUnit + 2 <= maxBytes || (text.length + 2 <= maxBytes && jsonBytes(text) <= maxBytes))
    return text;
  let bytes = jsonBytes(ellipsis);
  let keptLength = 0;
  for (const character of text) {
    bytes += jsonBytes(character) - 2;
    if (bytes > maxBytes) break;
    keptLength += character.length;
  }
  return text.slice(0, keptLength) + ellipsis;
};

/** Free text, truncated to `maxBytes` bytes of JSON. Callers, documents or receivers may have written it. */
export const text = (maxBytes: number) =>
  bounded(
    z.string().overwrite((value) => truncateText(value, maxBytes)),
    { bytes: maxBytes },
  );

/** Visible ASCII of at most `maxLength` characters, never truncated. A quotation mark has two bytes in JSON. */
export const ascii = (maxLength: number) =>
  bounded(
    z
      .string()
      .max(maxLength)
      .regex(/^[\x20-\x7e]*$/),
    { bytes: 2 * maxLength + 2 },
  );

/** Text of at most `maxLength` characters, which a pattern limits to visible ASCII. Longer text is not matched. */
export const asciiText = (maxLength: number) =>
  bounded(z.string().max(maxLength, { abort: true }), { bytes: 2 * maxLength + 2 });

/** An identifier, hash or time, never truncated. */
export const identifier = () => ascii(100);

/** A list, truncated to `maxItems` items. */
export const list = <S extends z.ZodType>(item: S, maxItems: number) =>
  bounded(
    z.array(item).overwrite((items) => items.slice(0, maxItems)),
    { items: maxItems },
  );

/** A record of at most `maxEntries` entries. */
export const entries = <V extends z.ZodType>(name: z.ZodString, value: V, maxEntries: number) =>
  bounded(
    z
      .record(name, value)
      .refine((record) => Object.keys(record).length <= maxEntries, `must have at most ${maxEntries} entries`),
    { items: maxEntries },
  );

const maxTextBytes = 2000;
/** Enough for any name with a number, boolean or null. */
const minRemainingBytes = 256;

/** Truncates long texts and drops the rest, so that the JSON has at most `maxBytes` bytes. */
const truncateJson = (value: unknown, maxBytes: number): unknown => {
  let remainingBytes = maxBytes;
  const shorten = (inner: unknown): unknown => {
    if (typeof inner === 'string') return charge(truncateText(inner, Math.min(maxTextBytes, remainingBytes)));
    if (Array.isArray(inner)) return shortenItems(inner, (item) => [shorten(item)]);
    if (typeof inner === 'object' && inner !== null)
      return Object.fromEntries(
        shortenItems(Object.entries(inner), ([name, member]) => [
          [charge(truncateText(name, minRemainingBytes / 2)), shorten(member)] as const,
        ]),
      );
    remainingBytes -= 30;
    return inner;
  };
  const charge = (text: string): string => {
    remainingBytes -= jsonBytes(text) + 1;
    return text;
  };
  const shortenItems = <Item, Kept>(items: readonly Item[], keep: (item: Item) => Kept[]): Kept[] => {
    remainingBytes -= 3;
    return items.flatMap((item) => (remainingBytes < minRemainingBytes ? [] : keep(item)));
  };
  return shorten(value);
};

/** An object with any fields, truncated to `maxBytes` bytes of JSON. */
export const anyFields = (maxBytes: number) =>
  bounded(
    z.record(z.string(), z.unknown()).overwrite((fields) => truncateJson(fields, maxBytes) as Record<string, unknown>),
    { bytes: maxBytes },
  );
