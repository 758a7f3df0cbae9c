import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isRecent } from './is-recent.ts';

const at = (ms: number): string => new Date(ms).toISOString();

it('A recorded time is recent for its span, and not longer after the clock was set back', () => {
  expect([0, 59_999, 60_000].map((ageMs) => isRecent(at(1e12), new Date(1e12 + ageMs), 60_000))).toEqual([
    true,
    true,
    false,
  ]);
  expect([-60_000, -3_600_000].map((ageMs) => isRecent(at(1e12), new Date(1e12 + ageMs), 60_000))).toEqual([
    false,
    false,
  ]);
});

it('A recorded time is recent for at most two spans, however far the clock was set back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 86_400_000 }), fc.integer({ min: 1, max: 60_000 }), (backMs, spanMs) => {
      const from = 1e12 - backMs;
      const recent = [0, spanMs / 2, spanMs, 2 * spanMs].map((passedMs) =>
        isRecent(at(1e12), new Date(from + passedMs), spanMs),
      );
      expect(backMs >= spanMs ? recent[0] : recent[3]).toBe(false);
    }),
  );
});
