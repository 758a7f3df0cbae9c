import { expect, test, vi } from 'vitest';
import type { Bus, Consumer, LeasedMessage } from './port.ts';
import { consumeMessages } from './consume-messages.ts';

const consumer = { name: 'c', subject: 's', leaseMs: 60_000 };

const leasedMessage = (id: string): LeasedMessage => ({
  id,
  subject: 's',
  data: null,
  deliveryCount: 1,
  ack: async () => undefined,
  nak: async () => undefined,
  extendLease: async () => undefined,
});

/** A bus with `count` ordinary messages, which records how each was ended. */
const busWith = (count: number, deliveryCount = 1) => {
  const ends: string[] = [];
  let delivered = 0;
  const recordedMessage = (id: string): LeasedMessage => ({
    ...leasedMessage(id),
    deliveryCount,
    ack: async () => void ends.push(`${id} done`),
    nak: async (ms) => void ends.push(`${id} retry in ${ms}`),
  });
  const bus = {
    next: async ({ urgent }: Consumer) =>
      !urgent && delivered < count ? recordedMessage(String((delivered += 1))) : null,
  } as unknown as Bus;
  return { bus, ends, delivered: () => delivered };
};
const never = new AbortController().signal;

test('A worker takes no more messages than it may handle at once, and the next one as soon as one has ended', async () => {
  const { bus, ends, delivered } = busWith(7);
  const release: (() => void)[] = [];
  const concurrencies: number[] = [];
  let running = 0;
  const finished = consumeMessages(
    bus,
    {
      consumer,
      permits: { maxQuick: 3, maxTotal: 3 },
      onError: () => undefined,
      handle: async () => {
        concurrencies.push((running += 1));
        await new Promise<void>((resolve) => void release.push(resolve));
        running -= 1;
        return { kind: 'done' };
      },
    },
    never,
  );
  while (ends.length < 7) {
    await new Promise(setImmediate);
    expect(delivered()).toBeLessThanOrEqual(ends.length + 3);
    if (running === 3 || delivered() === 7) release.shift()?.();
  }
  await finished;
  expect(Math.max(...concurrencies)).toBe(3);
});

test('A message is delivered again after the delay that its handler asked for, or after a second when the handler failed', async () => {
  const { bus, ends } = busWith(3);
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
  expect(ends).toEqual(['1 retry in 5', '2 retry in 1000', '3 done']);
  expect(errors).toEqual([['2', 'Error: no luck']]);
});

test('A message whose handler fails again and again is delivered after longer delays, up to a minute', async () => {
  const fail = async (deliveryCount: number): Promise<string[]> => {
    const { bus, ends } = busWith(1, deliveryCount);
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
    ['1 retry in 2000'],
    ['1 retry in 8000'],
    ['1 retry in 60000'],
  ]);
});

test('A message that takes long no longer counts against the limit for quick ones', async () => {
  const { bus, delivered } = busWith(5);
  const release: (() => void)[] = [];
  const finished = consumeMessages(
    bus,
    {
      consumer,
      permits: { maxQuick: 1, maxTotal: 4 },
      onError: () => undefined,
      handle: async () => {
        await new Promise<void>((resolve) => void release.push(resolve));
        return { kind: 'done' };
      },
    },
    never,
  );
  await vi.waitFor(() => expect(delivered()).toBe(4), { timeout: 60_000 });
  release.shift()!();
  await vi.waitFor(() => expect(delivered()).toBe(5), { timeout: 60_000 });
  for (const end of release) end();
  await finished;
});

test('A worker takes messages from the urgent queue and from the ordinary one', async () => {
  const bus = {
    next: async ({ urgent }: Consumer) => (remaining.delete(urgent) ? leasedMessage(String(urgent)) : null),
  } as unknown as Bus;
  const remaining = new Set([true, false]);
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

test('A worker whose urgent queue fails takes no more ordinary messages when it has failed', async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const bus = {
    next: async ({ urgent }: Consumer, signal: AbortSignal) => {
      if (urgent) {
        await asked.promise;
        throw new Error('no connection');
      }
      asked.resolve(signal);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return null;
    },
  } as unknown as Bus;
  const handler = {
    consumer,
    permits: { maxQuick: 1, maxTotal: 1 },
    onError: () => undefined,
    handle: async () => ({ kind: 'done' as const }),
  };
  await expect(consumeMessages(bus, handler, never)).rejects.toThrow('no connection');
  expect((await asked.promise).aborted).toBe(true);
});

test('Other work of the process can run between two messages, also when many are due at once', async () => {
  const { bus } = busWith(50);
  const started: string[] = [];
  const startedBefore = [0];
  const finished = consumeMessages(
    bus,
    {
      consumer,
      permits: { maxQuick: 1_000, maxTotal: 1_000 },
      onError: () => undefined,
      handle: async ({ id }) => {
        started.push(id);
        return { kind: 'done' };
      },
    },
    never,
  );
  while (started.length < 50) {
    await new Promise(setImmediate);
    startedBefore.push(started.length);
  }
  await finished;
  const inOneTurn = startedBefore.slice(1).map((count, turn) => count - startedBefore[turn]!);
  expect(Math.max(...inOneTurn)).toBe(1);
});
