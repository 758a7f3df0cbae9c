import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ordinaryTaskInterval } from '#libs/concurrency/ordinary-task-interval.ts';
import { createScheduler, overtakenTimeoutMs, type SchedulerLimits, type ScheduledTask } from './scheduler.ts';

const highLimits: SchedulerLimits = { maxOutstandingPerAccount: 100, maxOutstanding: 1_000, maxUnstarted: 1_000 };
const schedulerWith = (limits: Partial<SchedulerLimits> = {}) =>
  createScheduler<ScheduledTask>(() => ({ ...highLimits, ...limits }));
const task = (key: string, more: Partial<ScheduledTask> = {}): ScheduledTask => ({
  key,
  account: key[0]!,
  urgent: false,
  hasStartEvent: true,
  ...more,
});
const tasks = (account: string, count: number, urgent = false): ScheduledTask[] =>
  Array.from({ length: count }, (_, n) => task(`${account}${n}`, { urgent }));
type TestScheduler = ReturnType<typeof schedulerWith>;
const takeAll = (scheduler: TestScheduler, now = 0): string[] => {
  const keys: string[] = [];
  for (let next = scheduler.take(now); next; next = scheduler.take(now)) keys.push(next.key);
  return keys;
};
const addAll = (scheduler: TestScheduler, ...groups: ScheduledTask[][]): void =>
  groups.flat().forEach((added) => scheduler.add(added));

describe('The scheduler', () => {
  test('lets accounts take turns, and keeps the order within each', () => {
    const scheduler = schedulerWith();
    addAll(scheduler, tasks('a', 3), tasks('b', 2), tasks('c', 1));
    expect(takeAll(scheduler)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2']);
  });

  test('publishes tasks of an account up to its limit, and more as its tasks end', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 2 });
    addAll(scheduler, tasks('a', 4), tasks('b', 1));
    expect(takeAll(scheduler)).toEqual(['a0', 'b0', 'a1']);
    scheduler.start('a0', 0);
    expect(takeAll(scheduler)).toEqual([]);
    scheduler.end('a0');
    expect(takeAll(scheduler)).toEqual(['a2']);
  });

  test('leaves room for accounts that come later, even when others have many tasks', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 10, maxOutstanding: 12 });
    addAll(scheduler, ...['a', 'b', 'c', 'd'].map((account) => tasks(account, 10)));
    expect(takeAll(scheduler).length).toBeLessThan(12);
    addAll(scheduler, tasks('e', 2));
    expect(takeAll(scheduler)).toEqual(['e0', 'e1']);
  });

  test('publishes urgent tasks first, but every fourth task is an ordinary one', () => {
    const scheduler = schedulerWith();
    addAll(scheduler, tasks('a', 10), tasks('u', 10, true));
    expect(takeAll(scheduler).slice(0, 8)).toEqual(['u0', 'u1', 'u2', 'a0', 'u3', 'u4', 'u5', 'a1']);
  });

  test('publishes few tasks ahead of the workers, so that an urgent task that comes later is soon next', () => {
    const scheduler = schedulerWith({ maxUnstarted: 2 });
    addAll(scheduler, tasks('a', 5));
    expect(takeAll(scheduler)).toEqual(['a0', 'a1']);
    scheduler.add(task('z0', { urgent: true }));
    scheduler.start('a0', 0);
    expect(takeAll(scheduler)).toEqual(['z0']);
  });

  test('does not count a task that no worker starts long after a later one, and counts it again once one does', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 1 });
    addAll(scheduler, tasks('a', 3), tasks('b', 1));
    expect(takeAll(scheduler)).toEqual(['a0', 'b0']);
    const [startedAt, { belowLimit }] = [60_000, overtakenTimeoutMs];
    scheduler.start('b0', startedAt);
    expect(takeAll(scheduler, startedAt + belowLimit - 1)).toEqual([]);
    expect(takeAll(scheduler, startedAt + belowLimit)).toEqual(['a1']);
    scheduler.start('a1', startedAt + belowLimit);
    scheduler.start('a0', startedAt + belowLimit);
    scheduler.end('a1');
    expect(takeAll(scheduler, startedAt + belowLimit)).toEqual([]);
  });

  test('counts an overtaken task for as long as the limits say', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 1, overtakenTimeoutMs: 100_000 });
    addAll(scheduler, tasks('a', 2), tasks('b', 1));
    expect(takeAll(scheduler)).toEqual(['a0', 'b0']);
    scheduler.start('b0', 0);
    expect([99_999, 100_000].map((now) => takeAll(scheduler, now))).toEqual([[], ['a1']]);
  });

  test('publishes no more at the limit of outstanding tasks, unless a task is not started very long after a later one', () => {
    const scheduler = schedulerWith({ maxUnstarted: 2, maxOutstandingPerAccount: 1, maxOutstanding: 2 });
    addAll(scheduler, ...['a', 'b', 'c', 'd', 'e', 'f'].map((account) => tasks(account, 1)));
    for (const key of takeAll(scheduler)) scheduler.start(key, 0);
    expect(takeAll(scheduler)).toEqual(['c0', 'd0']);
    scheduler.start('d0', 0);
    expect(takeAll(scheduler)).toEqual(['e0']);
    const { belowLimit, atLimit } = overtakenTimeoutMs;
    expect([belowLimit, atLimit - 1, atLimit].map((now) => takeAll(scheduler, now))).toEqual([[], [], ['f0']]);
  });

  test('keeps every account to its limit without a renderer for ten minutes; then another account is next', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 2, maxUnstarted: 4 });
    addAll(scheduler, tasks('a', 100), tasks('b', 100));
    const published = takeAll(scheduler);
    for (let now = 0; now <= 600_000; now += 1_000) published.push(...takeAll(scheduler, now));
    expect(published).toEqual(['a0', 'b0', 'a1', 'b1']);
    addAll(scheduler, tasks('c', 1));
    expect(takeAll(scheduler, 600_000)).toEqual([]);
    scheduler.start('a0', 600_000);
    expect(takeAll(scheduler, 600_000)).toEqual(['c0']);
    for (let now = 600_000; now <= 1_200_000; now += 1_000) expect(takeAll(scheduler, now)).toEqual([]);
  });

  test('does not wait for the start of tasks whose start it does not get', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 2, maxUnstarted: 4 });
    const withoutStart = (account: string) =>
      tasks(account, 3, true).map((added) => ({ ...added, hasStartEvent: false }));
    addAll(scheduler, withoutStart('a'), withoutStart('b'));
    expect(takeAll(scheduler)).toEqual(['a0', 'b0', 'a1', 'b1']);
    addAll(scheduler, tasks('c', 1, true));
    expect(takeAll(scheduler)).toEqual(['c0']);
  });

  test('counts a task that waits for its next attempt, so that all of them find a permit when they come back', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 1 });
    addAll(scheduler, tasks('a', 2));
    expect(takeAll(scheduler)).toEqual(['a0']);
    scheduler.start('a0', 0);
    scheduler.pause('a0', 0);
    expect(takeAll(scheduler)).toEqual([]);
    scheduler.start('a0', 0);
    expect(takeAll(scheduler)).toEqual([]);
    scheduler.end('a0');
    expect(takeAll(scheduler)).toEqual(['a1']);
  });

  test('counts a task that another relay has published, from its first activity', () => {
    for (const act of ['start', 'pause'] as const) {
      const scheduler = schedulerWith({ maxOutstandingPerAccount: 1 });
      addAll(scheduler, tasks('a', 2));
      scheduler[act]('a1', 0);
      expect(takeAll(scheduler)).toEqual([]);
      scheduler.end('a1');
      expect(takeAll(scheduler)).toEqual(['a0']);
    }
  });

  test('returns published tasks without activity for long, each once in that time', () => {
    const scheduler = schedulerWith();
    addAll(scheduler, tasks('a', 3));
    takeAll(scheduler);
    scheduler.start('a1', 50);
    scheduler.end('a2');
    const stalled = (now: number) => scheduler.takeStalled(now, 60).map(({ key }) => key);
    expect([stalled(59), stalled(60), stalled(61), stalled(110), stalled(120)]).toEqual([
      [],
      ['a0'],
      [],
      ['a1'],
      ['a0'],
    ]);
  });

  test('returns no paused task before its delay has passed and no activity has followed for long', () => {
    const scheduler = schedulerWith();
    addAll(scheduler, tasks('a', 1));
    takeAll(scheduler);
    scheduler.start('a0', 0);
    scheduler.pause('a0', 100);
    const stalled = (now: number) => scheduler.takeStalled(now, 60).map(({ key }) => key);
    expect([stalled(60), stalled(100), stalled(159), stalled(160)]).toEqual([[], [], [], ['a0']]);
  });

  test('ignores a task that it already has, and forgets one that ended before it was published', () => {
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

  test('keeps the order of many tasks when some of them end before their turn', () => {
    const scheduler = schedulerWith({ maxOutstandingPerAccount: 1 });
    const many = tasks('a', 5_000);
    addAll(scheduler, many);
    const remaining = many.filter((_, n) => n % 3 > 0);
    for (const { key } of many.filter((_, n) => n % 3 === 0)) scheduler.end(key);
    const keys: string[] = [];
    for (let next = scheduler.take(0); next; next = scheduler.take(0)) {
      keys.push(next.key);
      scheduler.end(next.key);
    }
    expect(keys).toEqual(remaining.map(({ key }) => key));
  });

  test('publishes the task of a new account after at most one task of each other account', () => {
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
          // Ordinary tasks have their turns between the urgent ones.
          expect(before).toBeLessThanOrEqual(
            urgent ? others + Math.ceil(others / (ordinaryTaskInterval - 1)) : (others + 1) * ordinaryTaskInterval,
          );
        },
      ),
    );
  });

  test('loses no task, publishes none twice and keeps to its limits, in any order of events', () => {
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
        (steps, maxPerAccount, maxUnstarted) => {
          const scheduler = schedulerWith({
            maxOutstandingPerAccount: maxPerAccount,
            maxUnstarted,
            maxOutstanding: 12,
          });
          const [added, taken, ended, counted] = [
            new Set<string>(),
            [] as ScheduledTask[],
            new Set<string>(),
            new Set<string>(),
          ];
          const unstarted = new Set<string>();
          for (const [n, { act, account, urgent, pick }] of steps.entries()) {
            const key = taken.length > 0 ? taken[pick % taken.length]!.key : '';
            if (act === 'add') {
              scheduler.add(task(`${account}${n}`, { urgent }));
              added.add(`${account}${n}`);
            }
            if (act === 'take') {
              const next = scheduler.take(0);
              if (next) {
                expect([...counted].filter((other) => other[0] === next.account).length).toBeLessThan(maxPerAccount);
                taken.push(next);
                unstarted.add(next.key);
                counted.add(next.key);
              }
              expect(unstarted.size).toBeLessThanOrEqual(maxUnstarted);
            }
            if (act === 'start' || act === 'pause') {
              scheduler[act](key, 0);
              unstarted.delete(key);
              if (ended.has(key)) counted.delete(key);
              else if (key) counted.add(key);
            }
            if (act === 'end') {
              scheduler.end(key);
              unstarted.delete(key);
              counted.delete(key);
              ended.add(key);
            }
          }
          for (let round = 0; round <= added.size; round += 1) {
            for (const { key } of taken) scheduler.end(key);
            for (let next = scheduler.take(0); next; next = scheduler.take(0)) taken.push(next);
          }
          expect(taken.map(({ key }) => key).toSorted()).toEqual([...added].toSorted());
        },
      ),
    );
  });
});
