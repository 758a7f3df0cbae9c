import { asciiText } from '../events/bounded.ts';

/**
 * With the spaces after it: no two parts match the same spaces, so that the pattern takes linear time. A page has at
 * most six digits, so that a range is never too large for the browser.
 */
const range = String.raw`(?:\d{1,6} *(?:- *(?:\d{1,6} *)?)?|- *\d{1,6} *)`;
const rangesPattern = new RegExp(String.raw`^ *${range}(?:, *${range})*$`);

/** Pages count from 1. `last` is infinite for a range without end. */
export type PageRange = { first: number; last: number };

/** The ranges of a text that matches the schema below. */
export const parsePageRanges = (text: string): PageRange[] =>
  text.split(',').map((part) => {
    const [first = '', last] = part.split('-').map((page) => page.trim());
    return {
      first: first === '' ? 1 : Number(first),
      last: last === undefined ? Number(first) : last === '' ? Infinity : Number(last),
    };
  });

const maxPageRangesLength = 200;

export const pageRanges = asciiText(maxPageRangesLength)
  .regex(rangesPattern, 'must be pages and ranges of pages, such as "1-3, 5, 8-"')
  .refine(
    (text) =>
      !rangesPattern.test(text) || parsePageRanges(text).every(({ first, last }) => first >= 1 && first <= last),
    'must have ranges that begin at page 1 or later and do not end before they begin',
  );
