import { describe, expect, it } from 'vitest';
import { readModels } from '#contracts/names.ts';
import type { Bus } from '#libs/bus/port.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { Document, Query, ReadStore } from '#libs/read-store/port.ts';
import { addOpenTasks } from './open-tasks.ts';
import { runRelay } from './relay.ts';
import type { RelayTask } from './relay-tasks.ts';
import { createScheduler } from './scheduler.ts';

const limits = { maxOutstandingPerAccount: 100, maxOutstanding: 1_000, maxUnstarted: 1_000 };

/** The keys of the tasks in the order in which the relay publishes them. `onRead` is called before each read. */
const publishedOrder = async (
  collection: 'renders' | 'deliveries',
  documents: Record<string, string>,
  onRead?: (status: string) => void,
  attemptsOf: (id: string) => object = () => ({}),
) => {
  const [renders, officeRenders, deliveries] = Array.from({ length: 3 }, () =>
    createScheduler<RelayTask>(() => limits),
  ) as [never, never, never];
  const find = async (searched: string, { where }: Query): Promise<Document[]> => {
    if (searched !== readModels[collection]) return [];
    onRead?.(where['status'] as string);
    return Object.entries(documents)
      .filter(([, status]) => status === where['status'])
      .map(([id]) => ({
        id,
        accountId: 'a',
        responseMode: 'poll',
        source: { mode: 'CONVERT', inputType: 'html' },
        round: 1,
        ...attemptsOf(id),
      }));
  };
  const schedulers = { renders, officeRenders, deliveries } as Parameters<typeof addOpenTasks>[0];
  await addOpenTasks(schedulers, { checkpoint: async () => 0, find } as unknown as ReadStore);
  const order: string[] = [];
  const scheduler = schedulers[collection];
  for (let task = scheduler.take(0); task; task = scheduler.take(0)) order.push(task.key);
  return order;
};

describe('The relay after a restart', () => {
  it('publishes renders that had begun before those that still wait', async () => {
    expect(await publishedOrder('renders', { 1: 'PROCESSING', 2: 'QUEUED', 3: 'QUEUED' })).toEqual([
      'render-1',
      'render-2',
      'render-3',
    ]);
  });

  it('finds a render that begins while it reads', async () => {
    const documents: Record<string, string> = { 1: 'QUEUED', 2: 'PROCESSING' };
    const order = await publishedOrder('renders', documents, (status) => {
      if (status === 'QUEUED') documents[1] = 'PROCESSING';
    });
    expect(order.toSorted()).toEqual(['render-1', 'render-2']);
  });

  describe('with many deliveries', () => {
    const count = 1_000;
    const concurrency = { maxQuick: 1, maxTotal: 1 };
    const run = (
      publish: () => Promise<void>,
      read: () => Promise<[]>,
      stop = new AbortController(),
    ): Promise<void> => {
      const pending = Array.from({ length: count }, (_, id) => ({ id: String(id), accountId: 'a', round: 1 }));
      const find = async (collection: string, { where }: Query): Promise<Document[]> =>
        collection === readModels.deliveries && where['status'] === 'pending' ? pending : [];
      const dependencies = {
        store: { head: async () => 0, read } as unknown as EventStore,
        bus: { publish } as unknown as Bus,
        reads: { checkpoint: async () => 0, find } as unknown as ReadStore,
        concurrency: { renders: concurrency, officeRenders: concurrency },
      };
      return runRelay(dependencies, stop.signal);
    };

    it('lets other work run while it reads their traces', async () => {
      let readsInTurn = 0;
      let mostInTurn = 0;
      const read = async (): Promise<[]> => {
        if (readsInTurn === 0) setImmediate(() => (readsInTurn = 0));
        mostInTurn = Math.max(mostInTurn, (readsInTurn += 1));
        return [];
      };
      const stop = new AbortController();
      let published = 0;
      const publish = async (): Promise<void> => void ((published += 1) === count && stop.abort());
      await run(publish, read, stop);
      expect(published).toBe(count);
      expect(mostInTurn).toBeLessThan(count);
    });

    it('throws the error of the bus, and publishes no more', async () => {
      let published = 0;
      const publish = async (): Promise<void> => {
        published += 1;
        throw new Error('The bus is unavailable.');
      };
      await expect(run(publish, async () => [])).rejects.toThrow('The bus is unavailable.');
      expect(published).toBeLessThan(count);
    });
  });

  it('counts deliveries that had begun before it publishes others, so that not all of an account are on the bus', async () => {
    const documents = { 1: 'pending', 2: 'pending', 3: 'pending', 4: 'timeout', 5: 'sent' };
    const earlier = '2026-05-01T00:00:00.000Z';
    const later = '2026-05-02T00:00:00.000Z';
    const lastAttempts: Record<string, string | null> = { 1: null, 2: earlier, 3: later, 4: later, 5: later };
    const attemptsOf = (id: string) => ({ requestedAt: later, lastAttemptAt: lastAttempts[id], round: 2 });
    expect(await publishedOrder('deliveries', documents, undefined, attemptsOf)).toEqual(
      [3, 5, 4, 1, 2].map((id) => `delivery-${id}`),
    );
  });
});
