import { expect, test } from 'vitest';
import { formatPercent, successRate } from './formats.ts';

test('A success rate is rounded once', () => {
  expect(formatPercent(successRate({ succeeded: 50, failed: 9 })!)).toBe('84.7 %');
});

test('A share is not rounded to nothing or to all of it', () => {
  expect([0, 1e-6, 0.001, 0.5, 0.999, 12_344 / 12_345, 1, 1.1].map(formatPercent)).toEqual([
    '0 %',
    '< 0.1 %',
    '0.1 %',
    '50 %',
    '99.9 %',
    '> 99.9 %',
    '100 %',
    '110 %',
  ]);
});

test('There is no success rate before a render has ended', () => {
  expect(successRate({ succeeded: 0, failed: 0 })).toBeNull();
});
