import { expect, test, vi } from 'vitest';
import { openFairQueue } from './fair-queue.ts';
import type { PermitLimits } from './permits.ts';

/** A queue of tasks that end on request. The first letter of a task's name is its group. */
const queueWith = (limits: Partial<PermitLimits>) => {
  const queue = openFairQueue({ maxQuick: 2, maxTotal: 2, slowAfterMs: 1, ...limits });
  const started: string[] = [];
  const endings = new Map<string, () => void>();
  const taskNamed = (name: string) => (): Promise<void> => {
    started.push(name);
    return new Promise<void>((resolve) => void endings.set(name, resolve));
  };
  const add = (...names: string[]): void => {
    for (const name of names) void queue.add(name[0]!, taskNamed(name));
  };
  return { queue, started, add, taskNamed, end: (name: string) => endings.get(name)!() };
};

test('Groups take turns, and the tasks of each start in order', async () => {
  const { queue, started, add, end } = queueWith({});
  add('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
  expect([queue.running(), queue.waiting()]).toEqual([2, 5]);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4']) {
    await vi.waitFor(() => expect(started).toContain(name), 60_000);
    end(name);
  }
  await vi.waitFor(() => expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']), 60_000);
});

test('A task that takes long no longer counts as a quick one, so others start', async () => {
  const { started, add } = queueWith({ maxTotal: 8 });
  add('a1', 'a2', 'b1', 'b2', 'c1', 'd1');
  await vi.waitFor(() => expect(started.toSorted()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'd1']), 60_000);
});

test('A task that gets no permit in time fails with its own error and never starts', async () => {
  const { queue, started, add, taskNamed, end } = queueWith({});
  add('a1', 'a2');
  await expect(
    queue.add('b', taskNamed('b1'), { timeoutMs: 5, createError: () => new Error('too busy') }),
  ).rejects.toThrow('too busy');
  end('a1');
  end('a2');
  await queue.idle();
  expect(started).toEqual(['a1', 'a2']);
});

test('A task that fails releases its permit, and the queue is idle when all tasks have ended', async () => {
  const queue = openFairQueue({ maxQuick: 1, maxTotal: 1, slowAfterMs: 1 });
  await expect(queue.add('a', () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
  const last = queue.add('a', async () => 'done');
  await queue.idle();
  expect(await last).toBe('done');
});

test('A task that waits when the queue is closed fails, and so does a later one', async () => {
  const { queue, started, add, taskNamed } = queueWith({});
  add('a1', 'a2');
  await vi.waitFor(() => expect(started).toHaveLength(2), 60_000);
  const waiting = queue.add('b', taskNamed('b1'));
  queue.close(new Error('closed'));
  await expect(waiting).rejects.toThrow('closed');
  await expect(queue.add('c', taskNamed('c1'))).rejects.toThrow('closed');
});
