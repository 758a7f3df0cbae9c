import { expect, test } from 'vitest';
import { formatPercent, successRate } from './formats.ts';

test('A success rate is rounded once', () => {
  expect(formatPercent(successRate({ succeeded: 50, failed: 9 })!)).toBe('84.7 %');
});

test('There is no success rate before a render has ended', () => {
  expect(successRate({ succeeded: 0, failed: 0 })).toBeNull();
});
