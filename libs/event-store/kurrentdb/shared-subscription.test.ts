import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { RecordedEvent } from '../port.ts';
import { shareSubscription } from './shared-subscription.ts';

const waitOptions = { timeout: 60_000, interval: 1 };

/** An event log that a test extends. Counts the own subscriptions that are open now and were opened in total. */
const openGrowingEventLog = () => {
  const events: RecordedEvent[] = [];
  const subscriptions = { open: 0, opened: 0, failures: 0 };
  let change = Promise.withResolvers<void>();
  const notify = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  return {
    subscriptions,
    notify,
    grow: (count: number): void => {
      // Positions have gaps.
      for (let index = 0; index < count; index += 1)
        events.push({
          position: (events.length + 1) * 10,
          stream: `render-${events.length % 3}`,
          revision: Math.floor(events.length / 3),
        } as RecordedEvent);
      notify();
    },
    head: async (): Promise<number> => events.at(-1)?.position ?? 0,
    subscribe: async function* (position: number, ended: AbortSignal): AsyncGenerator<RecordedEvent[]> {
      subscriptions.open += 1;
      subscriptions.opened += 1;
      ended.addEventListener('abort', notify);
      try {
        for (let last = position; !ended.aborted;) {
          if (subscriptions.failures > 0) {
            subscriptions.failures -= 1;
            throw new Error('connection lost');
          }
          const batch = events.filter((event) => event.position > last).slice(0, 100);
          if (batch.length > 0) {
            last = batch.at(-1)!.position;
            yield batch;
          } else await change.promise;
        }
      } finally {
        subscriptions.open -= 1;
      }
    },
  };
};

type TestEventLog = ReturnType<typeof openGrowingEventLog>;

const startSubscribers = (eventLog: TestEventLog, count: number, from = 0) => {
  const { subscribe, readCached } = shareSubscription(eventLog.subscribe, eventLog.head);
  const stop = new AbortController();
  const got = Array.from({ length: count }, () => [] as number[]);
  const running = got.map(async (positions) => {
    for await (const batch of subscribe(from, stop.signal)) positions.push(...batch.map(({ position }) => position));
  });
  const all = (last: number): Promise<void> =>
    vi.waitFor(() => expect(got.map((positions) => positions.at(-1))).toEqual(got.map(() => last)), waitOptions);
  const end = async (): Promise<void> => {
    stop.abort();
    eventLog.notify();
    await Promise.all(running);
  };
  return { got, all, end, readCached };
};
/** Two subscribers of an event log of two events, which share one subscription since the first event. */
const startSharedSubscribers = async () => {
  const eventLog = openGrowingEventLog();
  eventLog.grow(1);
  const both = startSubscribers(eventLog, 2);
  await both.all(10);
  eventLog.grow(1);
  await both.all(20);
  return { eventLog, ...both };
};
const positionsUpTo = (count: number): number[] => Array.from({ length: count }, (_, index) => (index + 1) * 10);

describe('The subscribers of one process', () => {
  it('share one subscription at the end of the event log, and close it', async () => {
    const eventLog = openGrowingEventLog();
    eventLog.grow(3);
    const { got, all, end } = startSubscribers(eventLog, 3);
    await all(30);
    eventLog.grow(1);
    await all(40);
    eventLog.grow(1);
    await all(50);
    expect(eventLog.subscriptions.open).toBe(1);
    await end();
    expect(got).toEqual([positionsUpTo(5), positionsUpTo(5), positionsUpTo(5)]);
    await vi.waitFor(() => expect(eventLog.subscriptions.open).toBe(0), waitOptions);
  });

  it('have a cached stream if the tail contains its first event', async () => {
    const { eventLog, all, end, readCached } = await startSharedSubscribers();
    eventLog.grow(4);
    await all(60);
    // The first event of render-0 came before the shared subscription.
    expect([
      readCached('render-0'),
      readCached('render-2')?.map(({ position }) => position),
      readCached('unknown'),
    ]).toEqual([null, [30, 60], null]);
    eventLog.grow(1_400);
    await all(14_060);
    expect(readCached('render-2')).toBe(null);
    await end();
    expect(readCached('render-2')).toBe(null);
  });

  it('use an own subscription if there is only one of them', async () => {
    const eventLog = openGrowingEventLog();
    const { all, end } = startSubscribers(eventLog, 1);
    for (const count of [1, 2, 3]) {
      eventLog.grow(1);
      await all(count * 10);
    }
    expect(eventLog.subscriptions.opened).toBe(1);
    await end();
  });

  it('continue with own subscriptions when the shared one breaks', async () => {
    const { eventLog, got, all, end } = await startSharedSubscribers();
    eventLog.grow(1);
    await all(30);
    expect(eventLog.subscriptions.open).toBe(1);
    eventLog.subscriptions.failures = 1;
    eventLog.grow(1);
    await all(40);
    await end();
    expect(got).toEqual([positionsUpTo(4), positionsUpTo(4)]);
  });

  it('each get every event once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 700 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 2, max: 4 }),
        async (growths, count) => {
          const eventLog = openGrowingEventLog();
          const { got, all, end } = startSubscribers(eventLog, count);
          let total = 1;
          eventLog.grow(1);
          for (const growth of growths) {
            eventLog.grow(growth);
            total += growth;
            if (growth % 2 === 0) await all(total * 10);
          }
          await all(total * 10);
          await end();
          for (const positions of got) expect(positions).toEqual(positionsUpTo(total));
        },
      ),
      { numRuns: 30 },
    );
  });
});
