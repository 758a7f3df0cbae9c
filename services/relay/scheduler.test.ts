import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createScheduler,
  ordinaryTaskInterval,
  type SchedulerLimits,
  type ScheduledTask,
  unstartedTimeoutMs,
} from './scheduler.ts';

const roomy: SchedulerLimits = { maxOutstandingPerAccount: 100, maxOutstanding: 1_000, maxUnstarted: 1_000 };
const schedulerWith = (limits: Partial<SchedulerLimits> = {}) =>
  createScheduler<ScheduledTask>(() => ({ ...roomy, ...limits }));
const task = (key: string, more: Partial<ScheduledTask> = {}): ScheduledTask => ({
  key,
  account: key[0]!,
  urgent: false,
  ...more,
});
const tasks = (account: string, count: number, urgent = false): ScheduledTask[] =>
  Array.from({ length: count }, (_, n) => task(`${account}${n}`, { urgent }));
type Tested = ReturnType<typeof schedulerWith>;
const takeAll = (scheduler: Tested, now = 0): string[] => {
  const keys: string[] = [];
  for (let next = scheduler.take(now); next; next = scheduler.take(now)) keys.push(next.key);
  return keys;
};
const addAll = (scheduler: Tested, ...all: ScheduledTask[][]): void => all.flat().forEach((one) => scheduler.add(one));

describe('The scheduler', () => {
  test('lets accounts take turns, and keeps the order within each', () => {
    const scheduler = schedulerWith();
    addAll(scheduler, tasks('a', 3), tasks('b', 2), tasks('c', 1));
    expect(takeAll(scheduler)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2']);
  });

  test('gives an account no more outstanding work than it may have, and more as its work ends', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 2 });
    addAll(scheduler, tasks('a', 4), tasks('b', 1));
    expect(takeAll(scheduler)).toEqual(['a0', 'b0', 'a1']);
    scheduler.start('a0', 0);
    expect(takeAll(scheduler)).toEqual([]);
    scheduler.end('a0');
    expect(takeAll(scheduler)).toEqual(['a2']);
  });

  test('leaves places to accounts that come later, however much others have', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 10, maxOutstanding: 12 });
    addAll(scheduler, ...['a', 'b', 'c', 'd'].map((account) => tasks(account, 10)));
    takeAll(scheduler);
    expect(scheduler.counts().outstanding).toBeLessThan(12);
    addAll(scheduler, tasks('e', 2));
    expect(takeAll(scheduler)).toEqual(['e0', 'e1']);
  });

  test('lets urgent work pass, though one in a few is ordinary', () => {
    const scheduler = schedulerWith();
    addAll(scheduler, tasks('a', 10), tasks('u', 10, true));
    expect(takeAll(scheduler).slice(0, 8)).toEqual(['u0', 'u1', 'u2', 'a0', 'u3', 'u4', 'u5', 'a1']);
  });

  test('publishes so little ahead of the workers that what comes later still has its turn', () => {
    const scheduler = schedulerWith({ maxUnstarted: 2 });
    addAll(scheduler, tasks('a', 5));
    expect(takeAll(scheduler)).toEqual(['a0', 'a1']);
    scheduler.add(task('z0', { urgent: true }));
    scheduler.start('a0', 0);
    expect(takeAll(scheduler)).toEqual(['z0']);
  });

  test('is not held up by work that nobody begins, and counts it again once somebody does', () => {
    const scheduler = schedulerWith({ maxUnstarted: 1, maxOutstandingPerAccount: 1 });
    addAll(scheduler, tasks('a', 3));
    const { belowLimit } = unstartedTimeoutMs;
    expect([takeAll(scheduler), takeAll(scheduler, belowLimit - 1), takeAll(scheduler, belowLimit)]).toEqual([
      ['a0'],
      [],
      ['a1'],
    ]);
    scheduler.start('a1', belowLimit);
    scheduler.start('a0', belowLimit);
    scheduler.end('a1');
    expect(takeAll(scheduler, belowLimit)).toEqual([]);
  });

  test('publishes no more while slow work holds all places, unless what is published is not begun for long', () => {
    const scheduler = schedulerWith({ maxUnstarted: 2, maxOutstandingPerAccount: 1, maxOutstanding: 2 });
    addAll(scheduler, ...['a', 'b', 'c', 'd', 'e'].map((account) => tasks(account, 1)));
    for (const key of takeAll(scheduler)) scheduler.start(key, 0);
    expect(takeAll(scheduler)).toEqual(['c0', 'd0']);
    const { belowLimit, atLimit } = unstartedTimeoutMs;
    expect([belowLimit, atLimit - 1, atLimit].map((now) => takeAll(scheduler, now))).toEqual([[], [], ['e0']]);
  });

  test('does not count work that waits for its next attempt by itself', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 1 });
    addAll(scheduler, tasks('a', 2));
    expect(takeAll(scheduler)).toEqual(['a0']);
    scheduler.start('a0', 0);
    scheduler.pause('a0', 0);
    expect(takeAll(scheduler)).toEqual(['a1']);
    scheduler.start('a0', 0);
    expect(scheduler.counts()).toEqual({ waiting: 0, outstanding: 2 });
  });

  test('names published work of which nothing was heard for long, once each time', () => {
    const scheduler = schedulerWith();
    addAll(scheduler, tasks('a', 3));
    takeAll(scheduler);
    scheduler.start('a1', 50);
    scheduler.end('a2');
    const silent = (now: number) => scheduler.takeStalled(now, 60).map(({ key }) => key);
    expect([silent(59), silent(60), silent(61), silent(110), silent(120)]).toEqual([[], ['a0'], [], ['a1'], ['a0']]);
  });

  test('takes work that is known for no new work, and forgets what has ended before it was published', () => {
    const scheduler = schedulerWith();
    addAll(scheduler, tasks('a', 2), tasks('a', 2));
    scheduler.end('a0');
    expect(takeAll(scheduler)).toEqual(['a1']);
    scheduler.add(task('a1'));
    expect(takeAll(scheduler)).toEqual([]);
    scheduler.end('a1');
    scheduler.add(task('a1'));
    expect(takeAll(scheduler)).toEqual(['a1']);
  });

  test('keeps the order of very many tasks, whichever of them end before their turn', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 1 });
    const many = tasks('a', 5_000);
    addAll(scheduler, many);
    const left = many.filter((_, n) => n % 3 > 0);
    for (const { key } of many.filter((_, n) => n % 3 === 0)) scheduler.end(key);
    const keys: string[] = [];
    for (let next = scheduler.take(0); next; next = scheduler.take(0)) {
      keys.push(next.key);
      scheduler.end(next.key);
    }
    expect(keys).toEqual(left.map(({ key }) => key));
    expect(scheduler.counts()).toEqual({ waiting: 0, outstanding: 0 });
  });

  test('publishes an account that comes new after one published task of each other account at most, however much they have', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.boolean()), { minLength: 1, maxLength: 200 }),
        fc.boolean(),
        (given, urgent) => {
          const scheduler = schedulerWith({ maxUnstarted: 1, maxOutstanding: 40, maxOutstandingPerAccount: 10 });
          given.forEach(([account, isUrgent], n) => scheduler.add(task(`${account}${n}`, { urgent: isUrgent })));
          scheduler.add(task('new', { account: 'new', urgent }));
          const others = new Set(given.map(([account]) => account)).size;
          let before = 0;
          for (let next = scheduler.take(0); next && next.key !== 'new'; next = scheduler.take(0)) {
            before += 1;
            scheduler.start(next.key, 0);
            scheduler.end(next.key);
          }
          // The turns of urgent work lie between those of ordinary work.
          expect(before).toBeLessThanOrEqual(
            urgent ? others + Math.ceil(others / (ordinaryTaskInterval - 1)) : (others + 1) * ordinaryTaskInterval,
          );
        },
      ),
    );
  });

  test('loses nothing, publishes nothing twice and keeps to its limits, whatever happens in whatever order', () => {
    const step = fc.record({
      act: fc.constantFrom('add', 'take', 'start', 'pause', 'end'),
      account: fc.constantFrom('a', 'b', 'c'),
      urgent: fc.boolean(),
      pick: fc.nat(50),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 300 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        (steps, perAccount, unstarted) => {
          const scheduler = schedulerWith({
            maxOutstandingPerAccount: perAccount,
            maxUnstarted: unstarted,
            maxOutstanding: 12,
          });
          const [added, taken, ended, counted] = [
            new Set<string>(),
            [] as ScheduledTask[],
            new Set<string>(),
            new Set<string>(),
          ];
          const unbegun = new Set<string>();
          for (const [n, { act, account, urgent, pick }] of steps.entries()) {
            const one = taken.length > 0 ? taken[pick % taken.length]!.key : '';
            if (act === 'add') {
              scheduler.add(task(`${account}${n}`, { urgent }));
              added.add(`${account}${n}`);
            }
            if (act === 'take') {
              const next = scheduler.take(0);
              if (next) {
                expect([...counted].filter((key) => key[0] === next.account).length).toBeLessThan(perAccount);
                taken.push(next);
                unbegun.add(next.key);
                counted.add(next.key);
              }
              expect(unbegun.size).toBeLessThanOrEqual(unstarted);
            }
            if (act === 'start' || act === 'pause') {
              scheduler[act](one, 0);
              unbegun.delete(one);
              if (act === 'pause' || ended.has(one)) counted.delete(one);
              else if (one) counted.add(one);
            }
            if (act === 'end') {
              scheduler.end(one);
              unbegun.delete(one);
              counted.delete(one);
              ended.add(one);
            }
            expect(scheduler.counts().waiting).toBe(added.size - taken.length);
          }
          expect(new Set(taken.map(({ key }) => key)).size).toBe(taken.length);
          for (let round = 0; round <= added.size; round += 1) {
            for (const { key } of taken.splice(0)) scheduler.end(key);
            for (let next = scheduler.take(0); next; next = scheduler.take(0)) taken.push(next);
          }
          expect(scheduler.counts()).toEqual({ waiting: 0, outstanding: 0 });
        },
      ),
    );
  });
});
