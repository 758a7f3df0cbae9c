import { expect, test } from 'vitest';
import { redeliveryDelayMs, hasWaitedAnHour } from './redelivery-delays.ts';

test('The redelivery delay doubles from a second and stays at a minute', () => {
  expect([1, 2, 3, 6, 7, 8, 5_000].map(redeliveryDelayMs)).toEqual([
    1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
  ]);
});

test('A message has waited an hour once its redelivery delays add up to one', () => {
  const first = Array.from({ length: 200 }, (_, index) => index + 1).find(hasWaitedAnHour)!;
  const waitedMs = (deliveryCount: number): number =>
    Array.from({ length: deliveryCount - 1 }, (_, index) => redeliveryDelayMs(index + 1)).reduce(
      (sum, ms) => sum + ms,
      0,
    );
  expect(waitedMs(first)).toBeGreaterThanOrEqual(3_600_000);
  expect(waitedMs(first - 1)).toBeLessThan(3_600_000);
  expect(hasWaitedAnHour(1)).toBe(false);
});
