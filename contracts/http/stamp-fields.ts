import { z } from 'zod';
import { asciiText } from '../events/bounded.ts';
import { pageRanges } from './page-ranges.ts';

/** A colour of a stamp. Other forms of CSS could contain more than a colour. */
export const stampColor = asciiText(9)
  .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, 'must be a colour such as "#c00" or "#cc0000"')
  .describe('A colour as #rgb or #rrggbb.');

export const stampPages = pageRanges
  .optional()
  .describe(
    'The pages to draw on, such as "2-" or "1, 3-5". Pages count from 1 in the finished PDF, after page_ranges. ' +
      'Default: all.',
  );

/** One or more lines of text, with no other control characters. */
export const stampText = (maxLength: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(maxLength)
    .refine((text) => text.trim() !== '', 'must have characters that can be seen')
    .refine((text) => text.isWellFormed() && !/(?!\n)\p{Cc}/u.test(text), {
      error: 'must be text without control characters other than line breaks',
    });
