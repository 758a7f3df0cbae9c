import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readModels } from '#contracts/names.ts';
import type { Bus, Message } from '#libs/bus/port.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import { deliveries } from '#libs/projections/deliveries.ts';
import { renders } from '#libs/projections/renders.ts';
import type { Document, Query, ReadStore } from '#libs/read-store/port.ts';
import { runRelay } from './relay.ts';

type Happening = { type: string; stream: string; data: object; account?: string };

const eventOf = ({ type, stream, data, account = 'a' }: Happening, index: number): RecordedEvent =>
  ({
    id: `event ${index}`,
    type,
    stream,
    data,
    position: index + 1,
    metadata: { accountId: account, occurredAt: '2026-05-20T12:00:00.000Z', traceparent: null },
  }) as unknown as RecordedEvent;

const requested = (id: string, reply: 'wait' | 'poll' | 'webhook', account = 'a'): Happening => ({
  type: 'RenderRequested',
  stream: `render-${id}`,
  account,
  data: {
    accountId: account,
    source: { mode: 'CONVERT', inputType: 'html' },
    responseMode: { kind: reply, url: 'https://x' },
    keyType: 'live',
  },
});
const started = (id: string, worker = 'w', account = 'a'): Happening => ({
  type: 'RenderStarted',
  stream: `render-${id}`,
  account,
  data: { attempt: 1, worker },
});
const failed = (id: string, reply: string, account = 'a'): Happening => ({
  type: 'RenderFailed',
  stream: `render-${id}`,
  account,
  data: { responseMode: reply, error: { name: 'internal_error' }, totalMs: 1, quotaRefundDate: null },
});
const ofDelivery = (type: string, id: string, data: object = {}): Happening => ({
  type,
  stream: `delivery-${id}`,
  data: { round: 1, attempt: 1, ...data },
});
const attempted = (id: string) =>
  ofDelivery('WebhookAttempted', id, {
    outcome: { kind: 'timeout', reason: 'x' },
    nextAttemptAt: '2026-05-20T12:00:05.000Z',
  });

type Folding = Record<
  string,
  ((event: RecordedEvent) => { id: string; evolve: (document: Document | null) => Document | null } | null) | undefined
>;
const folded = (projection: { handlers: object }, events: readonly RecordedEvent[]): Document[] => {
  const all = new Map<string, Document | null>();
  for (const event of events) {
    const effect = (projection.handlers as Folding)[event.type]?.(event);
    if (effect) all.set(effect.id, effect.evolve(all.get(effect.id) ?? null));
  }
  return [...all.values()].filter((document) => document !== null);
};

/** A log whose first events are there already, read models with their checkpoints, and a bus that notes what is published. */
const stage = (
  happenings: readonly Happening[],
  { checkpoint = 0, shows = checkpoint }: { checkpoint?: number; shows?: number } = {},
) => {
  const log = happenings.map(eventOf);
  let came = Promise.withResolvers<void>();
  const store = {
    head: async () => log.length,
    readAll: async () => [],
    read: async () => [],
    subscribe: async function* (after: number, signal: AbortSignal) {
      for (let next = after; !signal.aborted;) {
        if (log.length > next) yield log.slice(next, (next = log.length));
        else
          await Promise.race([
            came.promise,
            new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
          ]);
      }
    },
  } as unknown as EventStore;
  const models: Record<string, Document[]> = {
    [readModels.renders]: folded(renders, log.slice(0, shows)),
    [readModels.deliveries]: folded(deliveries, log.slice(0, shows)),
  };
  const find = async (collection: string, { where, range, limit }: Query): Promise<Document[]> =>
    models[collection]!.filter(({ status, id }) => status === where['status'] && (id as string) >= (range?.from ?? ''))
      .toSorted((one, other) => ((one['id'] as string) < (other['id'] as string) ? -1 : 1))
      .slice(0, limit);
  const reads = { checkpoint: async () => checkpoint, find } as unknown as ReadStore;
  const published: Message[] = [];
  const bus = { publish: async (message: Message) => void published.push(message) } as unknown as Bus;
  const stop = new AbortController();
  const clock = { now: 0 };
  return {
    published,
    clock,
    bus,
    ids: () => published.map(({ id }) => id),
    begin: (concurrency = 1_000) => {
      const running = runRelay(
        { store, bus, reads, concurrency, maxConcurrency: concurrency * 4 },
        stop.signal,
        () => clock.now,
      );
      running.catch(() => undefined);
      return { running, end: async () => (stop.abort(), running) };
    },
    happens: (...more: readonly Happening[]): void => {
      log.push(...more.map((one, index) => eventOf(one, log.length + index)));
      came.resolve();
      came = Promise.withResolvers();
    },
  };
};

const atLast = (look: () => unknown, expected: unknown) => vi.waitFor(() => expect(look()).toEqual(expected));

afterEach(() => void vi.useRealTimers());

describe('The relay', () => {
  it('asks a renderer for each render and a delivery worker for each callback, by messages that are the same whenever they are made', async () => {
    const { published, begin, happens } = stage([]);
    const relay = begin();
    happens(requested('1', 'wait'), requested('2', 'webhook'), started('2'), failed('2', 'webhook'));
    const data = (id: string) => published.find((message) => message.id === id);
    await atLast(() => published.length, 2);
    expect(data('render-1')).toMatchObject({ subject: 'render.requested', urgent: true, data: { stream: 'render-1' } });
    expect(data('delivery-2.1')).toMatchObject({ subject: 'delivery.due', data: { id: '2' } });
    happens(
      ofDelivery('WebhookAttemptStarted', '2'),
      ofDelivery('WebhookFailed', '2'),
      ofDelivery('RedeliveryRequested', '2', { round: 2, target: null }),
    );
    happens(
      { type: 'PdfRegenerationRequested', stream: 'render-1', data: {} },
      { type: 'DiagnosisRequested', stream: 'render-1', data: {} },
    );
    await atLast(() => published.slice(2).map(({ id }) => id), ['event 7', 'event 8', 'delivery-2.2']);
    expect(published.slice(2, 4).map((message) => message.data)).toEqual(
      [
        { stream: 'render-1', regenerate: true },
        { stream: 'render-1', diagnose: true },
      ].map((one) => expect.objectContaining(one)),
    );
    await relay.end();
  });

  it('gives an account as many places as one process has, and those of each further process that begins a render', async () => {
    const { ids, begin, happens } = stage(Array.from({ length: 9 }, (_, n) => requested(String(n), 'poll')));
    const relay = begin(2);
    await atLast(ids, ['render-0', 'render-1']);
    happens(started('0', 'one'), started('1', 'one'), requested('z', 'wait', 'other'));
    await atLast(ids, ['render-0', 'render-1', 'render-z']);
    happens(started('z', 'two', 'other'));
    await atLast(ids, ['render-0', 'render-1', 'render-z', 'render-2', 'render-3']);
    await relay.end();
    expect(ids()).toHaveLength(5);
  });

  it('counts no process that began a render before the relay did', async () => {
    const begun = (n: number): Happening[] => [requested(String(n), 'poll'), started(String(n), `former ${n}`)];
    const { ids, begin } = stage(Array.from({ length: 9 }, (_, n) => begun(n)).flat());
    const relay = begin(2);
    await atLast(ids, ['render-0', 'render-1']);
    await relay.end();
    expect(ids()).toHaveLength(2);
  });

  it('leaves room for the callbacks of other accounts, however many receivers of one are silent', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => failed(String(n), 'webhook'));
    const { ids, begin, happens } = stage([...many, failed('other', 'webhook', 'b')]);
    const relay = begin();
    await vi.waitFor(() => expect(ids()).toContain('delivery-other.1'));
    expect(ids()).toHaveLength(1_001);
    // One that waits for its next attempt leaves its place to another.
    happens(ofDelivery('WebhookAttemptStarted', '0'), attempted('0'));
    await vi.waitFor(() => expect(ids()).toHaveLength(1_002));
    await relay.end();
  });

  it('publishes again what was neither begun nor ended for a while, but not what is told of by no event', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { ids, clock, begin } = stage([
      requested('1', 'poll'),
      requested('2', 'poll'),
      { type: 'DiagnosisRequested', stream: 'render-0', data: {} },
    ]);
    const relay = begin();
    await atLast(ids, ['event 2', 'render-1', 'render-2']);
    clock.now = 61_000;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ids().slice(3)).toEqual(['render-1', 'render-2']);
    await relay.end();
  });

  const changes = [ofDelivery('WebhookAttemptStarted', '1'), attempted('1')];
  it.each(changes)('publishes a callback whose document was missed while it changed, by $type alone', async (event) => {
    const { ids, begin } = stage([failed('1', 'webhook'), event], { checkpoint: 1, shows: 0 });
    const relay = begin();
    await atLast(ids, ['delivery-1.1']);
    await relay.end();
    expect(ids()).toHaveLength(1);
  });

  it('hands nothing twice to a bus that is away for long, and ends all the same when it is told to', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { bus, clock, begin } = stage([requested('1', 'poll'), requested('2', 'poll'), requested('3', 'poll')]);
    const handed: string[] = [];
    bus.publish = ({ id }) => (handed.push(id), new Promise(() => undefined));
    const relay = begin(1);
    await atLast(() => handed, ['render-1']);
    for (let minute = 1; minute < 10; minute += 1) {
      clock.now = minute * 61_000;
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(handed).toEqual(['render-1', 'render-2']);
    await relay.end();
  });

  it('fails where the bus does', async () => {
    const { begin, published, happens } = stage([]);
    published.push = () => {
      throw new Error('the bus is closed');
    };
    const relay = begin();
    happens(requested('1', 'poll'));
    await expect(relay.running).rejects.toThrow('the bus is closed');
  });

  it('publishes what is open and nothing else, wherever read models stand and whatever their documents show already', async () => {
    const life = (id: string) => [
      requested(id, 'webhook', id),
      started(id, 'w', id),
      failed(id, 'webhook', id),
      ofDelivery('DeliveryRequested', id, { accountId: id, url: 'x', sealed: null }),
      ofDelivery('WebhookAttemptStarted', id),
      attempted(id),
      ofDelivery('WebhookFailed', id),
      ofDelivery('RedeliveryRequested', id, { round: 2, target: null }),
    ];
    const expectedAfter = (steps: number, id: string): string[] => {
      if (steps === 0 || steps === 7) return [];
      return [steps < 3 ? `render-${id}` : `delivery-${id}.${steps < 8 ? 1 : 2}`];
    };
    const lives = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        lives,
        fc.infiniteStream(fc.nat()),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (steps, chance, from, ahead) => {
          const left = steps.map((count, n) => life(`i${n}`).slice(0, count));
          const log: Happening[] = [];
          for (
            let open = left.filter((one) => one.length > 0);
            open.length > 0;
            open = left.filter((one) => one.length > 0)
          )
            log.push(open[chance.next().value! % open.length]!.shift()!);
          const checkpoint = Math.floor(from * log.length);
          const { ids, begin } = stage(log, {
            checkpoint,
            shows: checkpoint + Math.floor(ahead * (log.length - checkpoint)),
          });
          const relay = begin();
          const expected = steps.flatMap((count, n) => expectedAfter(count, `i${n}`)).toSorted();
          await vi.waitFor(() => expect(ids().toSorted()).toEqual(expected), { interval: 1 });
          await relay.end();
          expect(ids().toSorted()).toEqual(expected);
        },
      ),
    );
  });
});
