import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPermits, type PermitLimits } from './permits.ts';

const permitsWith = (limits: Partial<PermitLimits> = {}) => {
  const clock = { now: 0 };
  const permits = createPermits({ maxQuick: 2, maxTotal: 12, slowAfterMs: 10, ...limits }, () => clock.now);
  return { permits, clock };
};

test('Quick tasks of a group run up to their limit, and slow tasks do not count toward it', () => {
  const { permits, clock } = permitsWith();
  permits.acquire('a');
  expect(permits.canAcquire('a')).toBe(true);
  permits.acquire('a');
  expect([permits.canAcquire('a'), permits.msUntilNextSlow()]).toEqual([false, 10]);
  clock.now = 10;
  expect([permits.canAcquire('a'), permits.msUntilNextSlow(), permits.running()]).toEqual([true, null, 2]);
});

test('The first task of a group does not wait for the quick tasks of another, up to twice the limit', () => {
  const { permits } = permitsWith();
  permits.acquire('a');
  permits.acquire('a');
  for (const group of ['b', 'c']) {
    expect(permits.canAcquire(group)).toBe(true);
    permits.acquire(group);
    expect(permits.canAcquire(group)).toBe(false);
  }
  expect([permits.isAvailable(), permits.canAcquire('d')]).toEqual([false, false]);
});

test('A caller that was refused just before a task became slow asks again at once', () => {
  const { permits, clock } = permitsWith();
  for (const group of ['a', 'a', 'b', 'c']) permits.acquire(group);
  clock.now = 9;
  expect(permits.isAvailable()).toBe(false);
  clock.now = 10;
  expect(permits.msUntilNextSlow()).toBe(0);
  expect(permits.isAvailable()).toBe(true);
});

test('A group holds no more permits than a single group may', () => {
  const { permits, clock } = permitsWith({ maxPerGroup: 2 });
  const release = permits.acquire('a');
  permits.acquire('a');
  clock.now = 10;
  expect([permits.canAcquire('a'), permits.canAcquire('b')]).toEqual([false, true]);
  release();
  expect(permits.canAcquire('a')).toBe(true);
});

test('Without permits for slow tasks, one group may hold all permits and no task becomes slow', () => {
  const { permits, clock } = permitsWith({ maxTotal: 2 });
  permits.acquire('a');
  clock.now = 1_000;
  expect([permits.canAcquire('a'), permits.msUntilNextSlow()]).toEqual([true, null]);
  permits.acquire('a');
  expect([permits.isAvailable(), permits.canAcquire('b')]).toEqual([false, false]);
});

test('A fifth and a sixth group get a permit at once beside four groups with many slow tasks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 60, maxLength: 200, size: 'max' }),
      fc.integer({ min: 1, max: 10 }),
      (groups, quick) => {
        const { permits, clock } = permitsWith({ maxQuick: quick, maxTotal: Math.max(12, quick * 4) });
        for (const group of groups) {
          if (permits.canAcquire(group)) permits.acquire(group);
          clock.now += 10;
        }
        clock.now += 10;
        for (const newcomer of ['e', 'f']) {
          expect(permits.canAcquire(newcomer)).toBe(true);
          permits.acquire(newcomer);
          clock.now += 10;
        }
      },
    ),
  );
});

test('No more tasks run than the limits allow, in any order of starts and ends', () => {
  const steps = fc.array(
    fc.record({
      group: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'),
      ends: fc.boolean(),
      ms: fc.nat(12),
    }),
  );
  fc.assert(
    fc.property(steps, (history) => {
      const { permits, clock } = permitsWith();
      const held: { group: string; since: number; release: () => void }[] = [];
      const countQuick = (): number => held.filter(({ since }) => clock.now - since < 10).length;
      for (const { group, ends, ms } of history) {
        clock.now += ms;
        if (ends) held.shift()?.release();
        else if (permits.canAcquire(group)) {
          expect(countQuick()).toBeLessThan(held.some((one) => one.group === group) ? 2 : 4);
          held.push({ group, since: clock.now, release: permits.acquire(group) });
        }
        expect(permits.running()).toBe(held.length);
        expect(held.length).toBeLessThanOrEqual(12);
      }
    }),
  );
});
