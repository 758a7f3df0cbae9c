import { z } from 'zod';

/** Schemas of what events carry: each has a size that it cannot exceed, so that no event is too large for the log. */

/** How large a schema lets a value become: `bytes` of its JSON in UTF-8, or `items` in a list or record. */
export const bounds = z.registry<{ bytes: number } | { items: number }>();

const bounded = <S extends z.ZodType>(schema: S, bound: { bytes: number } | { items: number }): S => {
  bounds.add(schema, bound);
  return schema;
};

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
const ellipsis = '…';
/** A UTF-16 unit has at most six bytes in JSON: a control character, or half of a pair. */
const maxBytesPerUnit = 6;

/** The text, or its beginning and an ellipsis, so that it has at most `most` bytes as JSON in UTF-8. `most` is at least 5. */
export const truncateText = (text: string, most: number): string => {
  if (text.length * maxBytesPerUnit + 2 <= most || (text.length + 2 <= most && jsonBytes(text) <= most)) return text;
  let bytes = jsonBytes(ellipsis);
  let kept = 0;
  for (const character of text) {
    bytes += jsonBytes(character) - 2;
    if (bytes > most) break;
    kept += character.length;
  }
  return text.slice(0, kept) + ellipsis;
};

/** Free text, which callers, documents or receivers may have written: cut to `most` bytes of JSON. */
export const text = (most: number) =>
  bounded(
    z.string().overwrite((value) => truncateText(value, most)),
    { bytes: most },
  );

/** Visible ASCII that must not be cut, of at most `most` characters. A quotation mark has two bytes in JSON. */
export const ascii = (most: number) =>
  bounded(
    z
      .string()
      .max(most)
      .regex(/^[\x20-\x7e]*$/),
    { bytes: 2 * most + 2 },
  );

/** An identifier, hash or time, which must not be cut. */
export const identifier = () => ascii(100);

/** A list that ends after `most` items. */
export const list = <S extends z.ZodType>(item: S, most: number) =>
  bounded(
    z.array(item).overwrite((items) => items.slice(0, most)),
    { items: most },
  );

/** A record of at most `most` entries. */
export const entries = <V extends z.ZodType>(name: z.ZodString, value: V, most: number) =>
  bounded(
    z.record(name, value).refine((record) => Object.keys(record).length <= most, `must have at most ${most} entries`),
    { items: most },
  );

const maxTextBytes = 2000;
/** Room for any name with any value that is no text, list or object. */
const minRemainingBytes = 256;

/** JSON of at most `most` bytes: long texts are cut, and what comes after that is left out. */
const truncateJson = (value: unknown, most: number): unknown => {
  let room = most;
  const shorten = (inner: unknown): unknown => {
    if (typeof inner === 'string') return charged(truncateText(inner, Math.min(maxTextBytes, room)));
    if (Array.isArray(inner)) return inside(inner, (item) => [shorten(item)]);
    if (typeof inner === 'object' && inner !== null)
      return Object.fromEntries(
        inside(Object.entries(inner), ([name, one]) => [
          [charged(truncateText(name, minRemainingBytes / 2)), shorten(one)] as const,
        ]),
      );
    room -= 30;
    return inner;
  };
  const charged = (text: string): string => {
    room -= jsonBytes(text) + 1;
    return text;
  };
  const inside = <Item, Kept>(items: readonly Item[], keep: (item: Item) => Kept[]): Kept[] => {
    room -= 3;
    return items.flatMap((item) => (room < minRemainingBytes ? [] : keep(item)));
  };
  return shorten(value);
};

/** An object with fields of any kind, cut to `most` bytes of JSON. */
export const anyFields = (most: number) =>
  bounded(
    z.record(z.string(), z.unknown()).overwrite((fields) => truncateJson(fields, most) as Record<string, unknown>),
    { bytes: most },
  );
