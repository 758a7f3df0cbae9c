import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPlaces, type PlaceLimits } from './places.ts';

const placesOf = (limits: Partial<PlaceLimits> = {}) => {
  const clock = { now: 0 };
  const places = createPlaces({ quick: 2, most: 12, slowAfterMs: 10, ...limits }, () => clock.now);
  return { places, clock };
};

test('quick works run up to their limit, and slow ones leave their places', () => {
  const { places, clock } = placesOf();
  places.take('a');
  expect(places.mayBegin('a')).toBe(true);
  places.take('a');
  expect([places.isFree(), places.mayBegin('b'), places.nextSlowInMs()]).toEqual([false, false, 10]);
  clock.now = 10;
  expect([places.isFree(), places.mayBegin('b'), places.nextSlowInMs(), places.running()]).toEqual([true, true, null, 2]);
});

test('a group may have no more places of its own than it is allowed', () => {
  const { places, clock } = placesOf({ perGroup: 2 });
  const leave = places.take('a');
  places.take('a');
  clock.now = 10;
  expect([places.mayBegin('a'), places.mayBegin('b')]).toEqual([false, true]);
  leave();
  expect(places.mayBegin('a')).toBe(true);
});

test('without places for slow work, groups share nothing and work never becomes slow', () => {
  const { places, clock } = placesOf({ most: 2 });
  places.take('a');
  clock.now = 1_000;
  expect([places.mayBegin('a'), places.nextSlowInMs()]).toEqual([true, null]);
  places.take('a');
  expect([places.isFree(), places.mayBegin('b')]).toEqual([false, false]);
});

test('however slow the work of four groups is and however much of it there is, a fifth and a sixth begin at once', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 60, maxLength: 200, size: 'max' }), fc.integer({ min: 1, max: 10 }), (wishes, quick) => {
      const { places, clock } = placesOf({ quick, most: Math.max(12, quick * 4) });
      for (const group of wishes) {
        if (places.mayBegin(group)) places.take(group);
        clock.now += 10;
      }
      clock.now += 10;
      for (const newcomer of ['e', 'f']) {
        expect(places.mayBegin(newcomer)).toBe(true);
        places.take(newcomer);
        clock.now += 10;
      }
    }),
  );
});

test('no more run than may, whatever begins and ends in whatever order', () => {
  const steps = fc.array(fc.record({ group: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'), ends: fc.boolean(), ms: fc.nat(12) }));
  fc.assert(
    fc.property(steps, (all) => {
      const { places, clock } = placesOf();
      const leaves: { at: number; leave: () => void }[] = [];
      for (const { group, ends, ms } of all) {
        clock.now += ms;
        if (ends) leaves.shift()?.leave();
        else if (places.mayBegin(group)) leaves.push({ at: clock.now, leave: places.take(group) });
        expect(places.running()).toBe(leaves.length);
        expect(leaves.length).toBeLessThanOrEqual(12);
        expect(leaves.filter(({ at }) => clock.now - at < 10).length).toBeLessThanOrEqual(2);
      }
    }),
  );
});
