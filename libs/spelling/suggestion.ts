import { toMillimetres } from '#contracts/http/lengths.ts';
import { maxComparedLength } from './similar.ts';

/** What a caller probably meant: fields of the request with an example of their values, or a hint if it is no field. */
export type Suggestion = { fields: readonly string[]; example?: Record<string, unknown>; hint?: string };

const maxMargin = 100;
export const marginHint = 'Margins are numbers of millimetres, or texts with a unit.';

/** The lengths in millimetres; NaN for one with an unknown unit. */
const lengthsIn = (value: unknown): number[] => {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'string' || value.length > maxComparedLength) return [];
  return [...value.matchAll(/(\d{1,5}(?:\.\d{1,5})?)\s*([a-z]*)/gi)].map(([, number, unit]) =>
    toMillimetres(`${number}${unit?.replace(/^inch(?:es)?$/i, 'in') || 'mm'}`),
  );
};

/** Whether the field is a number of millimetres. */
export const isMillimetres = (field: string): boolean => /^margin_|_height$/.test(field);

const asMargin = (millimetres: number | undefined): number | null =>
  millimetres !== undefined && millimetres >= 0 && millimetres <= maxMargin
    ? Math.round(millimetres * 100) / 100
    : null;

/** A margin in millimetres from a text such as `2cm`, or a number; null if it is neither or out of range. */
export const marginIn = (value: unknown): number | null => asMargin(lengthsIn(value)[0]);

/**
 * A margin with its unit, from the value of an option of another service. Numbers that can be inches are inches, as in
 * Gotenberg. Null if it is no margin or out of range.
 */
export const marginWithUnit = (value: unknown): string | null => {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  const withUnit = /^[\d.]{1,10}$/.test(text) ? `${text}in` : text;
  if (asMargin(toMillimetres(withUnit)) !== null) return withUnit;
  const millimetres = marginIn(value);
  return millimetres === null ? null : `${millimetres}mm`;
};

/**
 * The four margins that a shorthand means, as in CSS (`1cm 2cm`) or as an object with `top`, `right`, `bottom`, `left`.
 * 20 mm replaces what cannot be read.
 */
export const marginsIn = (value: unknown): Record<string, number> => {
  const lengths = lengthsIn(value);
  const sides = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const side = (name: string, ...places: number[]): number =>
    marginIn(Object.hasOwn(sides, name) ? sides[name] : undefined) ??
    asMargin(places.map((place) => lengths[place]).find((length) => length !== undefined)) ??
    20;
  return {
    margin_top: side('top', 0),
    margin_right: side('right', 1, 0),
    margin_bottom: side('bottom', 2, 0),
    margin_left: side('left', 3, 1, 0),
  };
};
