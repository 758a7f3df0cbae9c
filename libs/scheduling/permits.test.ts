import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPermits, type PermitLimits } from './permits.ts';

const placesOf = (limits: Partial<PermitLimits> = {}) => {
  const clock = { now: 0 };
  const places = createPermits({ maxQuick: 2, maxTotal: 12, slowAfterMs: 10, ...limits }, () => clock.now);
  return { places, clock };
};

test('quick works run up to their limit, and slow ones leave their places', () => {
  const { places, clock } = placesOf();
  places.acquire('a');
  expect(places.canAcquire('a')).toBe(true);
  places.acquire('a');
  expect([places.isAvailable(), places.canAcquire('b'), places.msUntilNextSlow()]).toEqual([false, false, 10]);
  clock.now = 10;
  expect([places.isAvailable(), places.canAcquire('b'), places.msUntilNextSlow(), places.running()]).toEqual([
    true,
    true,
    null,
    2,
  ]);
});

test('a group may have no more places of its own than it is allowed', () => {
  const { places, clock } = placesOf({ maxPerGroup: 2 });
  const leave = places.acquire('a');
  places.acquire('a');
  clock.now = 10;
  expect([places.canAcquire('a'), places.canAcquire('b')]).toEqual([false, true]);
  leave();
  expect(places.canAcquire('a')).toBe(true);
});

test('without places for slow work, groups share nothing and work never becomes slow', () => {
  const { places, clock } = placesOf({ maxTotal: 2 });
  places.acquire('a');
  clock.now = 1_000;
  expect([places.canAcquire('a'), places.msUntilNextSlow()]).toEqual([true, null]);
  places.acquire('a');
  expect([places.isAvailable(), places.canAcquire('b')]).toEqual([false, false]);
});

test('however slow the work of four groups is and however much of it there is, a fifth and a sixth begin at once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 60, maxLength: 200, size: 'max' }),
      fc.integer({ min: 1, max: 10 }),
      (wishes, quick) => {
        const { places, clock } = placesOf({ maxQuick: quick, maxTotal: Math.max(12, quick * 4) });
        for (const group of wishes) {
          if (places.canAcquire(group)) places.acquire(group);
          clock.now += 10;
        }
        clock.now += 10;
        for (const newcomer of ['e', 'f']) {
          expect(places.canAcquire(newcomer)).toBe(true);
          places.acquire(newcomer);
          clock.now += 10;
        }
      },
    ),
  );
});

test('no more run than may, whatever begins and ends in whatever order', () => {
  const steps = fc.array(
    fc.record({
      group: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'),
      ends: fc.boolean(),
      ms: fc.nat(12),
    }),
  );
  fc.assert(
    fc.property(steps, (all) => {
      const { places, clock } = placesOf();
      const leaves: { at: number; leave: () => void }[] = [];
      for (const { group, ends, ms } of all) {
        clock.now += ms;
        if (ends) leaves.shift()?.leave();
        else if (places.canAcquire(group)) leaves.push({ at: clock.now, leave: places.acquire(group) });
        expect(places.running()).toBe(leaves.length);
        expect(leaves.length).toBeLessThanOrEqual(12);
        expect(leaves.filter(({ at }) => clock.now - at < 10).length).toBeLessThanOrEqual(2);
      }
    }),
  );
});
