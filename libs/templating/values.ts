import { z } from 'zod';
import { UnsuitableValue } from './data-problems.ts';
import { type ExactNumber, isExactNumber } from '#contracts/http/exact-numbers.ts';
import { truncateForMessage } from './messages.ts';

/** A value's own member; undefined if it has none of that name, even if it inherits one. */
export const ownMember = (holder: unknown, name: string): unknown => {
  if (holder === null || holder === undefined || !Object.hasOwn(holder, name)) return undefined;
  // An exact number is a number, so it has no members.
  if (name === 'rawJSON' && isExactNumber(holder)) return undefined;
  const member = (holder as Record<string, unknown>)[name];
  return typeof member === 'function' ? undefined : member;
};

type Scalar = string | number | boolean | null | undefined | ExactNumber;

const isScalar = (value: unknown): value is Scalar =>
  value === null || typeof value !== 'object' || isExactNumber(value);

/** As many decimals as formatNumber can have. */
const maxDecimals = 20;

/** A number as text. JavaScript writes an amount such as 0.0000005 with an exponent, as 5e-7. */
const numberToText = (value: number): string => {
  const text = String(value);
  const [, sign, first, further = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text) ?? [];
  return exponent === undefined || Number(exponent) > maxDecimals
    ? text
    : `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${further}`;
};

const scalarToText = (value: Scalar): string => {
  if (typeof value === 'number') return numberToText(value);
  return isExactNumber(value) ? value.rawJSON : String(value ?? '');
};

/**
 * A value as text. Null is empty; a list of plain values is joined by commas, as in Handlebars. Objects are refused,
 * because "[object Object]" is never wanted in a document. @throws UnsuitableValue
 */
export const valueToText = (value: unknown, name: string, line: number): string => {
  if (typeof value === 'string') return value;
  if (isScalar(value)) return scalarToText(value);
  if (Array.isArray(value) && value.every(isScalar)) return value.map(scalarToText).join(',');
  throw new UnsuitableValue(
    name,
    line,
    `"${truncateForMessage(name)}" is ${Array.isArray(value) ? 'a list of objects' : 'an object'} ` +
      `and cannot be shown as text; name one of its fields, or use {{json ...}}.`,
  );
};

const calendarDate = z.iso.date();
const dateTime = z.iso.datetime({ offset: true, local: true });
const shortDateTime = /^([\d-]+T\d\d)(:\d\d)?(:\d\d(?:\.\d+)?)?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?$/;

/** Adds what a date-time of ISO 8601 can leave out: minutes, seconds, and the minutes of its offset. */
const completeDateTime = (text: string): string => {
  const [, hour, minutes = ':00', seconds = ':00', utc = '', hours, offsetMinutes = '00'] =
    shortDateTime.exec(text) ?? [];
  if (hour === undefined) return text;
  return hour + minutes + seconds + utc + (hours === undefined ? '' : `${hours}:${offsetMinutes}`);
};

const hasOffset = /(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Reads an ISO 8601 date or date-time that exists in the calendar; undefined for anything else. `epochMs` is in
 * milliseconds. `floating` means that no offset is given, so that the date is the same in every time zone.
 */
export const readIsoDate = (value: unknown): { epochMs: number; floating: boolean } | undefined => {
  if (typeof value !== 'string' || value.length > 40) return undefined;
  if (calendarDate.safeParse(value).success) return { epochMs: Date.parse(value), floating: true };
  const complete = completeDateTime(value);
  if (!dateTime.safeParse(complete).success) return undefined;
  const floating = !hasOffset.test(complete);
  return { epochMs: Date.parse(floating ? `${complete}Z` : complete), floating };
};

export const isoDateAllowed = 'an ISO 8601 date or date-time such as 2026-03-31 or 2026-03-31T14:30:00Z is allowed';
