import { expect, test } from 'vitest';
import { shareOf } from './counts.ts';

test('A share is not rounded to nothing or to all of it', () => {
  expect(shareOf(99_999, 100_000)).toBe(0.9999);
  expect(shareOf(34, 1_000_000)).toBe(0.0001);
  expect(shareOf(2, 3)).toBe(0.6667);
  expect(shareOf(0, 1_000_000)).toBe(0);
  expect(shareOf(7, 7)).toBe(1);
  expect(shareOf(8, 7)).toBe(1.1429);
  expect(shareOf(0, 0)).toBeNull();
});
