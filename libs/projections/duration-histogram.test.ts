import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type DurationHistogram, mergeHistograms, quantileOf, withDuration } from './duration-histogram.ts';

const durations = fc.array(fc.double({ min: 1, max: 7_200_000, noNaN: true }), { minLength: 1, maxLength: 200 });
const histogramOf = (values: readonly number[]): DurationHistogram => values.reduce(withDuration, {});
const nearestRank = (values: readonly number[], quantile: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(quantile * values.length)) - 1]!;

it('A quantile is within 5 % of the exact one', () => {
  fc.assert(
    fc.property(durations, fc.constantFrom(0, 0.5, 0.95, 0.99, 1), (values, quantile) => {
      const exact = nearestRank(values, quantile);
      expect(Math.abs(quantileOf(histogramOf(values), quantile)! - exact)).toBeLessThan(0.05 * exact + 0.05);
    }),
  );
});

it('The sum of histograms is the histogram of all durations', () => {
  fc.assert(
    fc.property(fc.array(durations, { maxLength: 5 }), (parts) => {
      expect(mergeHistograms(parts.map(histogramOf))).toEqual(histogramOf(parts.flat()));
    }),
  );
});

it.each([
  ['no duration at all', [], null],
  ['zero and negative durations, which clocks can produce', [0, -5, 0.2], 1],
  ['a duration of weeks', [1e10], 7_200_000],
])('A histogram of %s has a defined median', (_, values, expected) => {
  const median = quantileOf(histogramOf(values), 0.5);
  if (expected === null) expect(median).toBeNull();
  else expect(Math.abs(median! - expected)).toBeLessThanOrEqual(0.05 * expected);
});

it('A histogram stays small whatever the durations', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true }), { maxLength: 500 }), (values) => {
      expect(Object.keys(histogramOf(values)).length).toBeLessThanOrEqual(170);
    }),
  );
});
