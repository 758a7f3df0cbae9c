import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bus, Message } from '#libs/bus/port.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import type { ReadStore, StoredDocument } from '#libs/read-store/port.ts';
import { runRelay } from './relay.ts';

/** So many events that come together at a time, in milliseconds, up to a position; the last of them is work for somebody, or none is. */
type Coming = { at: number; upTo: number; isWork: boolean; events?: number };
const work = (at: number, upTo: number): Coming => ({ at, upTo, isWork: true });
const noWork = (at: number, upTo: number, events = 1): Coming => ({ at, upTo, isWork: false, events });

const eventOf = ({ upTo, isWork }: Coming): RecordedEvent =>
  ({
    id: `event ${upTo}`, type: isWork ? 'RenderRequested' : 'RenderStarted', stream: `render-${upTo}`, position: upTo,
    data: { accountId: 'a', reply: { kind: 'poll' } }, metadata: { occurredAt: '2026-05-20T12:00:00.000Z', traceparent: null },
  }) as unknown as RecordedEvent;

/** A log that comes in time, a bus that may refuse, and a checkpoint with all that is noted of it. */
const stage = (coming: readonly Coming[]) => {
  const at = { now: 0, checkpoint: 0, refuses: (_: Message): boolean => false };
  const noted: number[] = [];
  const published: string[] = [];
  const store = {
    subscribe: async function* (after: number) {
      for (const one of coming.filter(({ upTo }) => upTo > after)) {
        at.now = one.at;
        yield [...Array.from({ length: (one.events ?? 1) - 1 }, () => eventOf({ ...one, isWork: false })), eventOf(one)];
      }
    },
    readAll: async () => [],
  } as unknown as EventStore;
  const bus = {
    publish: async (message: Message) => {
      if (at.refuses(message)) throw new Error('the bus is away');
      published.push(message.id);
    },
  } as unknown as Bus;
  const reads = {
    read: async () => ({ document: null, position: at.checkpoint }),
    write: async ([written]: readonly StoredDocument[]) => {
      if (written!.position <= at.checkpoint) return;
      at.checkpoint = written!.position;
      noted.push(at.checkpoint);
    },
  } as unknown as ReadStore;
  return { at, noted, published, relay: () => runRelay(store, bus, reads, new AbortController().signal, () => at.now) };
};

describe('The relay', () => {
  it('notes how far it has come when it gives out work, though not more often than every quarter of a second', async () => {
    const { noted, relay } = stage([work(0, 1), work(100, 2), work(249, 3), work(250, 4), work(499, 5), work(5_000, 6)]);
    await relay();
    expect(noted).toEqual([1, 4, 6]);
  });

  it('notes after a thousand events in any case, be there work or not', async () => {
    const idle = stage([noWork(0, 1), noWork(10_000, 999, 998), noWork(10_001, 1_000), noWork(10_002, 1_999, 999)]);
    await idle.relay();
    expect(idle.noted).toEqual([1_000]);
    const hurried = stage([work(0, 1), { ...work(1, 900), events: 999 }, work(2, 901), work(3, 902)]);
    await hurried.relay();
    expect(hurried.noted).toEqual([1, 901]);
  });

  it('takes no position for a number of events, since a log may count bytes', async () => {
    const { noted, relay } = stage([work(0, 10_000), noWork(1, 20_000), work(2, 1_000_000)]);
    await relay();
    expect(noted).toEqual([10_000]);
  });

  it('goes on from where somebody else has come when it cannot note its own place', async () => {
    const { at, noted, relay } = stage([work(0, 1), work(300, 2), work(600, 5)]);
    at.refuses = ({ id }) => {
      if (id === 'event 2') at.checkpoint = 4;
      return false;
    };
    await relay();
    expect(noted).toEqual([1, 5]);
  });

  it('loses no work, wherever it ends and whatever it has not noted by then', async () => {
    const logs = fc
      .array(fc.record({ afterMs: fc.integer({ min: 0, max: 400 }), positions: fc.integer({ min: 1, max: 600 }), isWork: fc.boolean() }), { minLength: 1, maxLength: 15 })
      .map((steps) => steps.reduce<Coming[]>((all, { afterMs, positions, isWork }) => [...all, { at: (all.at(-1)?.at ?? 0) + afterMs, upTo: (all.at(-1)?.upTo ?? 0) + positions, isWork }], []));
    await fc.assert(
      fc.asyncProperty(logs, fc.nat({ max: 14 }), async (coming, ends) => {
        const { at, published, relay } = stage(coming);
        const last = coming[ends % coming.length]!;
        at.refuses = ({ id }) => id === `event ${last.upTo}`;
        await relay().catch(() => undefined);
        at.refuses = () => false;
        await relay();
        expect(new Set(published)).toEqual(new Set(coming.filter(({ isWork }) => isWork).map(({ upTo }) => `event ${upTo}`)));
      }),
    );
  });
});
