import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { RecordedEvent } from '../port.ts';
import { shareSubscription } from './shared-subscription.ts';

/** A log that grows by hand, and how many follow it by themselves now and did so far. */
const openGrowingEventLog = () => {
  const events: RecordedEvent[] = [];
  const at = { following: 0, followed: 0, cuts: 0 };
  let bell = Promise.withResolvers<void>();
  const ring = (): void => {
    bell.resolve();
    bell = Promise.withResolvers();
  };
  return {
    at,
    ring,
    grow: (count: number): void => {
      // Positions have gaps.
      for (let index = 0; index < count; index += 1)
        events.push({
          position: (events.length + 1) * 10,
          stream: `render-${events.length % 3}`,
          revision: Math.floor(events.length / 3),
        } as RecordedEvent);
      ring();
    },
    head: async (): Promise<number> => events.at(-1)?.position ?? 0,
    follow: async function* (position: number, ended: AbortSignal): AsyncGenerator<RecordedEvent[]> {
      at.following += 1;
      at.followed += 1;
      ended.addEventListener('abort', ring);
      try {
        for (let last = position; !ended.aborted;) {
          if (at.cuts > 0) {
            at.cuts -= 1;
            throw new Error('cut off');
          }
          const batch = events.filter((event) => event.position > last).slice(0, 100);
          if (batch.length > 0) {
            last = batch.at(-1)!.position;
            yield batch;
          } else await bell.promise;
        }
      } finally {
        at.following -= 1;
      }
    },
  };
};

type TestEventLog = ReturnType<typeof openGrowingEventLog>;

const startSubscribers = (log: TestEventLog, count: number, from = 0) => {
  const { subscribe, readCached } = shareSubscription(log.follow, log.head);
  const stop = new AbortController();
  const got = Array.from({ length: count }, () => [] as number[]);
  const running = got.map(async (positions) => {
    for await (const batch of subscribe(from, stop.signal)) positions.push(...batch.map(({ position }) => position));
  });
  const all = (last: number): Promise<void> =>
    vi.waitFor(() => expect(got.map((positions) => positions.at(-1))).toEqual(got.map(() => last)));
  const end = async (): Promise<void> => {
    stop.abort();
    log.ring();
    await Promise.all(running);
  };
  return { got, all, end, recent: readCached };
};
/** Two followers of a log of two events, on one subscription since the first. */
const startSharedSubscribers = async () => {
  const log = openGrowingEventLog();
  log.grow(1);
  const both = startSubscribers(log, 2);
  await both.all(10);
  log.grow(1);
  await both.all(20);
  return { log, ...both };
};
const positionsUpTo = (count: number): number[] => Array.from({ length: count }, (_, index) => (index + 1) * 10);

describe('Those who follow the log in one process', () => {
  it('share one subscription at its end, and leave none behind', async () => {
    const log = openGrowingEventLog();
    log.grow(3);
    const { got, all, end } = startSubscribers(log, 3);
    await all(30);
    log.grow(1);
    await all(40);
    log.grow(1);
    await all(50);
    expect(log.at.following).toBe(1);
    await end();
    expect(got).toEqual([positionsUpTo(5), positionsUpTo(5), positionsUpTo(5)]);
    await vi.waitFor(() => expect(log.at.following).toBe(0));
  });

  it('have what came lately of a stream at hand, from its first event on', async () => {
    const { log, all, end, recent } = await startSharedSubscribers();
    log.grow(4);
    await all(60);
    // Of the first stream the first event came before.
    expect([
      recent('render-0'),
      recent('render-2')?.map(({ position }) => position),
      recent('never recent of'),
    ]).toEqual([null, [30, 60], null]);
    log.grow(1_400);
    await all(14_060);
    expect(recent('render-2')).toBe(null);
    await end();
    expect(recent('render-2')).toBe(null);
  });

  it('keep their own where they are alone', async () => {
    const log = openGrowingEventLog();
    const { all, end } = startSubscribers(log, 1);
    for (const count of [1, 2, 3]) {
      log.grow(1);
      await all(count * 10);
    }
    expect(log.at.followed).toBe(1);
    await end();
  });

  it('go on alone where the shared one breaks off', async () => {
    const { log, got, all, end } = await startSharedSubscribers();
    log.grow(1);
    await all(30);
    expect(log.at.following).toBe(1);
    log.at.cuts = 1;
    log.grow(1);
    await all(40);
    await end();
    expect(got).toEqual([positionsUpTo(4), positionsUpTo(4)]);
  });

  it('each get every event once and in order, however the log grows and however slow they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 700 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 2, max: 4 }),
        async (growths, count) => {
          const log = openGrowingEventLog();
          const { got, all, end } = startSubscribers(log, count);
          let total = 1;
          log.grow(1);
          for (const growth of growths) {
            log.grow(growth);
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
