import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellPadding, measureColumns, splitIntoSections } from './columns.ts';

const demand = fc
  .tuple(fc.integer({ min: 2, max: 26 }), fc.integer({ min: 2, max: 60 }))
  .map(([a, b]) => ({ word: Math.min(a, b), line: b, unbroken: Math.min(a, b) }));

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
    const demands = Array.from({ length: 30 }, () => ({ word: 8, line: 12, unbroken: 12 }));
    const countFor = (textWidthMm?: number) => splitIntoSections(demands, textWidthMm).length;
    expect([40, 75, 180, 267, 390, 811].map(countFor)).toEqual([29, 10, 4, 3, 2, 1]);
    expect(countFor()).toBe(countFor(180));
  });

  test('have room for wide letters and bold headers beside long texts', () => {
    const demands = measureColumns({
      header: ['name', 'Empty', 'id', 'at', 'Note'],
      rows: [['Name 100', '', '1', '2026-01-01T00:00:00Z', 'text '.repeat(30)]],
    });
    const [section] = splitIntoSections(demands);
    const widths = section!.shares.map((share) => (share * section!.characters) / 100 - cellPadding);
    // Measured in Noto Sans, without what is left of the padding.
    expect(widths[0]).toBeGreaterThan(8.7);
    expect(widths[1]).toBeGreaterThan(6);
    expect(widths[2]).toBeLessThan(3);
    expect(widths[3]).toBeGreaterThanOrEqual(20);
  });

  test('keep short bold names whole beside long texts that are broken', () => {
    const header = ['id', 'name', 'address', 'city', 'geo', 'tags', 'active', 'created_at', 'amount', 'notes', 'extra'];
    const row = ['a1', 'Ann', '', 'Graz', '{"lat": 47.07, "lng": 15.43}', 'x, y', 'true', '2026-01-02T03:04:05Z'];
    const demands = measureColumns({ header, rows: [[...row, '12345678901234567890.12', '', 'only here']] });
    const [section] = splitIntoSections(demands);
    const lacking = section!.shares.flatMap((share, index) =>
      (share * section!.characters) / 100 - cellPadding < demands[index]!.unbroken - 0.001 ? header[index]! : [],
    );
    expect(lacking).toEqual(['created_at']);
  });

  test('are a single section if the columns fit side by side', () => {
    expect(splitIntoSections(Array.from({ length: 8 }, () => ({ word: 8, line: 12, unbroken: 12 })))).toHaveLength(1);
  });
});
