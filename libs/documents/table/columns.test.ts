import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitIntoSections } from './columns.ts';

const demand = fc
  .tuple(fc.integer({ min: 2, max: 26 }), fc.integer({ min: 2, max: 60 }))
  .map(([a, b]) => ({ word: Math.min(a, b), line: b }));

describe('the sections of a table', () => {
  test('contain every column in order and repeat only the first', () => {
    fc.assert(
      fc.property(fc.array(demand, { minLength: 1, maxLength: 120 }), (demands) => {
        const sections = splitIntoSections(demands);
        expect(sections.flatMap(({ columns }, index) => (index === 0 ? columns : columns.slice(1)))).toEqual(
          demands.map((_, column) => column),
        );
        for (const { columns } of sections) expect(columns[0]).toBe(0);
      }),
    );
  });

  test('use the whole width, in a readable type size', () => {
    fc.assert(
      fc.property(fc.array(demand, { minLength: 1, maxLength: 120 }), (demands) => {
        for (const { shares, characters } of splitIntoSections(demands)) {
          expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 5);
          expect(characters).toBeLessThanOrEqual(146.001);
        }
      }),
    );
  });

  test('are as many as the paper needs', () => {
    const demands = Array.from({ length: 30 }, () => ({ word: 8, line: 12 }));
    const countFor = (textWidthMm?: number) => splitIntoSections(demands, textWidthMm).length;
    expect([40, 75, 180, 267, 390, 811].map(countFor)).toEqual([29, 10, 4, 3, 2, 1]);
    expect(countFor()).toBe(countFor(180));
  });

  test('are a single section if the columns fit side by side', () => {
    expect(splitIntoSections(Array.from({ length: 8 }, () => ({ word: 8, line: 12 })))).toHaveLength(1);
  });
});
