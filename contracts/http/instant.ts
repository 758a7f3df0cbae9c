import { z } from 'zod';

// Times are compared as texts, so that their years must have four digits in UTC, too.
const hasYearOfFourDigits = (time: string): boolean => /^\d{4}-/.test(new Date(time).toISOString());
const yearError = 'must be in the years 0000 to 9999 in UTC';

/** An ISO 8601 time with an offset. */
export const time = z.iso
  .datetime({
    offset: true,
    error: 'must be an ISO 8601 time with an offset, such as 2026-03-02T09:15:00Z',
    abort: true,
  })
  .refine(hasYearOfFourDigits, yearError);

/** A time, or a date, which is its beginning in UTC. */
export const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO 8601 time with an offset, such as 2026-03-02T09:15:00Z, or a date',
  })
  .refine(hasYearOfFourDigits, yearError);
