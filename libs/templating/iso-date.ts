import { z } from 'zod';

const calendarDate = z.iso.date();
const dateTime = z.iso.datetime({ offset: true, local: true });
const hasOffset = /(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * Reads an ISO 8601 date or date-time that exists in the calendar; undefined for anything else. `epochMs` is in milliseconds;
 * `floating` says that no offset was given, so that the date is the same in every time zone.
 */
export const readIsoDate = (value: unknown): { epochMs: number; floating: boolean } | undefined => {
  if (typeof value !== 'string' || value.length > 40) return undefined;
  if (calendarDate.safeParse(value).success) return { epochMs: Date.parse(value), floating: true };
  if (!dateTime.safeParse(value).success) return undefined;
  const floating = !hasOffset.test(value);
  return { epochMs: Date.parse(floating ? `${value}Z` : value), floating };
};

export const isoDateAllowed = 'an ISO 8601 date or date-time such as 2026-03-31 or 2026-03-31T14:30:00Z is allowed';
