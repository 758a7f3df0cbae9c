import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runningHeadings } from './running-heading.ts';

const headingsOn = (pages: readonly (number | undefined)[]) => {
  const headings = pages.map((_, index) => ({ text: `H${index}`, destination: `d${index}` }));
  const pageOf = new Map(pages.flatMap((page, index) => (page === undefined ? [] : [[`d${index}`, page] as const])));
  return { headings, pageOf };
};

test('the running heading is the first on the page, else the last before it, else none', () => {
  const { headings, pageOf } = headingsOn([1, 1, 3]);
  expect(runningHeadings(headings, pageOf, 5)).toEqual(['', 'H0', 'H1', 'H2', 'H2']);
});

test('a heading that the PDF does not have is no running heading', () => {
  const { headings, pageOf } = headingsOn([undefined, 0, undefined]);
  expect(runningHeadings(headings, pageOf, 2)).toEqual(['H1', 'H1']);
});

test('each page has the nearest heading that starts on or before it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.integer({ min: 1, max: 25 }), (unordered, count) => {
      const pages = unordered.toSorted((one, other) => one - other);
      const { headings, pageOf } = headingsOn(pages);
      expect(runningHeadings(headings, pageOf, count)).toEqual(
        Array.from({ length: count }, (_, page) => {
          const first = pages.indexOf(page);
          const nearest = first === -1 ? pages.findLastIndex((one) => one < page) : first;
          return nearest === -1 ? '' : `H${nearest}`;
        }),
      );
    }),
  );
});
