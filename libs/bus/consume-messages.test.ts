import { expect, test, vi } from 'vitest';
import type { Bus, Consumer, LeasedMessage } from './port.ts';
import { consumeMessages } from './consume-messages.ts';

const consumer = { name: 'c', subject: 's', leaseMs: 60_000 };

const deliveryOf = (id: string): LeasedMessage => ({
  id,
  subject: 's',
  data: null,
  deliveryCount: 1,
  ack: async () => undefined,
  nak: async () => undefined,
  extendLease: async () => undefined,
});

/** A bus with so many ordinary messages, which notes what became of them. */
const busOf = (count: number, attempt = 1) => {
  const ends: string[] = [];
  let given = 0;
  const delivery = (id: string): LeasedMessage => ({
    ...deliveryOf(id),
    deliveryCount: attempt,
    ack: async () => void ends.push(`${id} done`),
    nak: async (ms) => void ends.push(`${id} again in ${ms}`),
  });
  const bus = {
    next: async ({ urgent }: Consumer) => (!urgent && given < count ? delivery(String((given += 1))) : null),
  } as unknown as Bus;
  return { bus, ends, given: () => given };
};
const never = new AbortController().signal;

test('no more messages are taken than may be in hands, and the next one as soon as one has ended', async () => {
  const { bus, ends, given } = busOf(7);
  const release: (() => void)[] = [];
  const atOnce: number[] = [];
  let running = 0;
  const over = consumeMessages(
    bus,
    {
      consumer,
      permits: { maxQuick: 3, maxTotal: 3 },
      onError: () => undefined,
      handle: async () => {
        atOnce.push((running += 1));
        await new Promise<void>((resolve) => void release.push(resolve));
        running -= 1;
        return { kind: 'done' };
      },
    },
    never,
  );
  while (ends.length < 7) {
    await new Promise(setImmediate);
    expect(given()).toBeLessThanOrEqual(ends.length + 3);
    release.shift()?.();
  }
  await over;
  expect(Math.max(...atOnce)).toBe(3);
});

test('work that comes again does so after its delay, and work that raised an error after a second at first, with a report', async () => {
  const { bus, ends } = busOf(3);
  const errors: unknown[] = [];
  await consumeMessages(
    bus,
    {
      consumer,
      permits: { maxQuick: 1, maxTotal: 1 },
      onError: (error, { id }) => void errors.push([id, String(error)]),
      handle: async ({ id }) => {
        if (id === '2') throw new Error('no luck');
        return id === '1' ? { kind: 'retry', delayMs: 5 } : { kind: 'done' };
      },
    },
    never,
  );
  expect(ends).toEqual(['1 again in 5', '2 again in 1000', '3 done']);
  expect(errors).toEqual([['2', 'Error: no luck']]);
});

test('work that raises an error again and again comes again later each time, after a minute at most', async () => {
  const fail = async (attempt: number): Promise<string[]> => {
    const { bus, ends } = busOf(1, attempt);
    await consumeMessages(
      bus,
      {
        consumer,
        permits: { maxQuick: 1, maxTotal: 1 },
        onError: () => undefined,
        handle: () => Promise.reject(new Error('no luck')),
      },
      never,
    );
    return ends;
  };
  expect([await fail(2), await fail(4), await fail(50)]).toEqual([
    ['1 again in 2000'],
    ['1 again in 8000'],
    ['1 again in 60000'],
  ]);
});

test('work that takes long leaves its place to other work', async () => {
  const { bus, given } = busOf(5);
  const release: (() => void)[] = [];
  const over = consumeMessages(
    bus,
    {
      consumer,
      permits: { maxQuick: 2, maxTotal: 4 },
      onError: () => undefined,
      handle: async () => {
        await new Promise<void>((resolve) => void release.push(resolve));
        return { kind: 'done' };
      },
    },
    never,
  );
  await vi.waitFor(() => expect(given()).toBe(4), { timeout: 10_000 });
  release.shift()!();
  await vi.waitFor(() => expect(given()).toBe(5), { timeout: 10_000 });
  for (const go of release) go();
  await over;
});

test('messages are taken from the urgent queue and from the other one', async () => {
  const bus = {
    next: async ({ urgent }: Consumer) => (left.delete(urgent) ? deliveryOf(String(urgent)) : null),
  } as unknown as Bus;
  const left = new Set([true, false]);
  const taken: string[] = [];
  await consumeMessages(
    bus,
    {
      consumer,
      permits: { maxQuick: 1, maxTotal: 1 },
      onError: () => undefined,
      handle: async ({ id }) => (taken.push(id), { kind: 'done' }),
    },
    never,
  );
  expect(taken.toSorted()).toEqual(['false', 'true']);
});
