import { expect, test } from 'vitest';
import { redeliveryDelayMs, hasWaitedAnHour } from './redelivery-delays.ts';

test('the delay doubles from a second to a minute, however often a message comes', () => {
  expect([1, 2, 3, 6, 7, 8, 5_000].map(redeliveryDelayMs)).toEqual([
    1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
  ]);
});

test('a message has waited an hour once its delays add up to one', () => {
  const first = Array.from({ length: 200 }, (_, index) => index + 1).find(hasWaitedAnHour)!;
  const waitedMs = (attempts: number): number =>
    Array.from({ length: attempts - 1 }, (_, index) => redeliveryDelayMs(index + 1)).reduce((sum, ms) => sum + ms, 0);
  expect(waitedMs(first)).toBeGreaterThanOrEqual(3_600_000);
  expect(waitedMs(first - 1)).toBeLessThan(3_600_000);
  expect(hasWaitedAnHour(1)).toBe(false);
});
