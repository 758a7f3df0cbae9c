import { expect, test, vi } from 'vitest';
import { openFairQueue } from './fair-queue.ts';
import type { PermitLimits } from './permits.ts';

/** Puts works into a queue that end when they are told to. Their first letter is their group. */
const inQueue = (limits: Partial<PermitLimits>) => {
  const queue = openFairQueue({ maxQuick: 2, maxTotal: 2, slowAfterMs: 1, ...limits });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => (): Promise<void> => {
    begun.push(name);
    return new Promise<void>((resolve) => void ends.set(name, resolve));
  };
  const add = (...names: string[]): void => {
    for (const name of names) void queue.add(name[0]!, work(name));
  };
  return { queue, begun, add, work, end: (name: string) => ends.get(name)!() };
};

test('groups take turns, and the works of each come in order', async () => {
  const { queue, begun, add, end } = inQueue({});
  add('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
  expect([queue.running(), queue.waiting()]).toEqual([2, 5]);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4']) {
    await vi.waitFor(() => expect(begun).toContain(name));
    end(name);
  }
  await vi.waitFor(() => expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']));
});

test('work that takes long leaves its place to others', async () => {
  const { begun, add } = inQueue({ maxTotal: 8 });
  add('a1', 'a2', 'b1', 'b2', 'c1', 'd1');
  await vi.waitFor(() => expect(begun.toSorted()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'd1']));
});

test('work that has no place in time fails as it says, and is never begun', async () => {
  const { queue, begun, add, work, end } = inQueue({});
  add('a1', 'a2');
  await expect(queue.add('b', work('b1'), { timeoutMs: 5, createError: () => new Error('too busy') })).rejects.toThrow(
    'too busy',
  );
  end('a1');
  end('a2');
  await queue.idle();
  expect(begun).toEqual(['a1', 'a2']);
});

test('work that fails leaves its place, and the queue is idle when all has ended', async () => {
  const queue = openFairQueue({ maxQuick: 1, maxTotal: 1, slowAfterMs: 1 });
  await expect(queue.add('a', () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
  const last = queue.add('a', async () => 'done');
  await queue.idle();
  expect(await last).toBe('done');
});

test('what waits when the queue is closed fails, and so does what comes later', async () => {
  const { queue, begun, add, work } = inQueue({});
  add('a1', 'a2');
  await vi.waitFor(() => expect(begun).toHaveLength(2));
  const waiting = queue.add('b', work('b1'));
  queue.close(new Error('closed'));
  await expect(waiting).rejects.toThrow('closed');
  await expect(queue.add('c', work('c1'))).rejects.toThrow('closed');
});
