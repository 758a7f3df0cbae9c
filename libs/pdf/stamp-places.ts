import type { PageNumbersOption } from '#contracts/http/page-numbers.ts';
import { parsePageRanges } from '#contracts/http/page-ranges.ts';

/** Whether a page, counted from 1, is in the ranges; null means all pages. */
export const isPageIn = (ranges: string | null): ((page: number) => boolean) => {
  if (ranges === null) return () => true;
  const parsed = parsePageRanges(ranges);
  return (page) => parsed.some(({ first, last }) => page >= first && page <= last);
};

/** Numbers are left, centred or right in their frame, which may be wider than the page. */
export const sideOf = (position: PageNumbersOption['position'], page: number): 'left' | 'center' | 'right' => {
  const side = position.split('_')[1] as 'left' | 'center' | 'right' | 'outside';
  if (side !== 'outside') return side;
  return page % 2 === 1 ? 'right' : 'left';
};
