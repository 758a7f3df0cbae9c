import { z } from 'zod';
import { asciiText } from '../events/bounded.ts';

/** Millimetres in each unit of a length (CSS Values 4, 6.2). */
const millimetresIn: Record<string, number> = {
  mm: 1,
  cm: 10,
  in: 25.4,
  px: 25.4 / 96,
  pt: 25.4 / 72,
  pc: 25.4 / 6,
  q: 0.25,
};

/** A number is in millimetres. A text has a unit: mm, cm, in, px, pt, pc or q, in any letter case. */
export type Length = number | string;

const lengthPattern = /^(\d{1,6}(?:\.\d{1,10})?|\.\d{1,10})\s?(mm|cm|in|px|pt|pc|q)$/i;
/** Finer than any printer or PDF reader. Removes the inaccuracy of binary fractions: 8.5in is 215.9 mm. */
const digits = 1e4;

/** A length in millimetres; NaN for a text that is not a length. */
export const toMillimetres = (length: Length): number => {
  if (typeof length === 'number') return length;
  const [, value, unit] = lengthPattern.exec(length) ?? [];
  return unit === undefined
    ? Number.NaN
    : Math.round(Number(value) * millimetresIn[unit.toLowerCase()]! * digits) / digits;
};

const formText =
  'must be a number of millimetres, or a text with a number and mm, cm, in, px, pt, pc or q, such as "2.5cm"';

/** The schema of a number of `unit` from `min` to `max`. Its errors name the unit. */
export const numberBetween = (min: number, max: number, unit: string) =>
  z.number().min(min, `must be at least ${min} ${unit}`).max(max, `must be at most ${max} ${unit}`);

/** The schema of a length from `min` to `max` millimetres. It stays as it was sent. */
export const lengthBetween = (min: number, max: number) =>
  z.union(
    [
      numberBetween(min, max, 'mm'),
      asciiText(32)
        .regex(lengthPattern, formText)
        .refine((text) => {
          const millimetres = toMillimetres(text);
          return Number.isNaN(millimetres) || (millimetres >= min && millimetres <= max);
        }, `must be ${min} to ${max} mm long`),
    ],
    formText,
  );
