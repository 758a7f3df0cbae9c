import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readModels } from '#contracts/names.ts';
import type { Bus, Message } from '#libs/bus/port.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import { deliveries } from '#libs/projections/deliveries.ts';
import { renders } from '#libs/projections/renders.ts';
import type { Document, Query, ReadStore } from '#libs/read-store/port.ts';
import { runRelay } from './relay.ts';

type TestEvent = { type: string; stream: string; data: object; account?: string };

const recorded = ({ type, stream, data, account = 'a' }: TestEvent, index: number): RecordedEvent =>
  ({
    id: `event ${index}`,
    type,
    stream,
    data,
    position: index + 1,
    metadata: {
      accountId: account,
      actor: { kind: 'key', id: 'k' },
      occurredAt: '2026-05-20T12:00:00.000Z',
      traceparent: null,
    },
  }) as unknown as RecordedEvent;

const requested = (id: string, responseMode: 'wait' | 'poll' | 'webhook', account = 'a'): TestEvent => ({
  type: 'RenderRequested',
  stream: `render-${id}`,
  account,
  data: {
    accountId: account,
    source: { mode: 'CONVERT', inputType: 'html' },
    options: {},
    responseMode: { kind: responseMode, url: 'https://x' },
    keyType: 'live',
  },
});
const requestedDocx = (id: string, options: object = {}): TestEvent => {
  const event = requested(id, 'wait');
  return { ...event, data: { ...event.data, source: { mode: 'CONVERT', inputType: 'docx' }, options } };
};
const started = (id: string, worker = 'w', account = 'a'): TestEvent => ({
  type: 'RenderStarted',
  stream: `render-${id}`,
  account,
  data: { attempt: 1, worker },
});
const failed = (id: string, responseMode: string, account = 'a'): TestEvent => ({
  type: 'RenderFailed',
  stream: `render-${id}`,
  account,
  data: { responseMode, error: { name: 'internal_error' }, totalMs: 1, quotaRefundDate: null },
});
const deliveryEvent = (type: string, id: string, fields: object = {}): TestEvent => {
  const data = { round: 1, attempt: 1, ...fields };
  return { type, stream: `delivery-${id}`, data };
};
const attempted = (id: string, nextAttemptAt = '2026-05-20T12:00:05.000Z') =>
  deliveryEvent('WebhookAttempted', id, { outcome: { kind: 'timeout', reason: 'x' }, nextAttemptAt });

type Handlers = Record<
  string,
  ((event: RecordedEvent) => { id: string; evolve: (document: Document | null) => Document | null } | null) | undefined
>;
const project = (projection: { handlers: object }, events: readonly RecordedEvent[]): Document[] => {
  const documents = new Map<string, Document | null>();
  for (const event of events) {
    const effect = (projection.handlers as Handlers)[event.type]?.(event);
    if (effect) documents.set(effect.id, effect.evolve(documents.get(effect.id) ?? null));
  }
  return [...documents.values()].filter((document) => document !== null);
};

/**
 * An event log with its first events, read models at a checkpoint (their documents contain `projected` events), and a
 * bus that records what is published.
 */
const openRelayTest = (
  initialEvents: readonly TestEvent[],
  { checkpoint = 0, projected = checkpoint }: { checkpoint?: number; projected?: number } = {},
) => {
  const events = initialEvents.map(recorded);
  let appended = Promise.withResolvers<void>();
  const store = {
    head: async () => events.length,
    readAll: async () => [],
    read: async (stream: string) => events.filter((event) => event.stream === stream).slice(0, 1),
    subscribe: async function* (after: number, signal: AbortSignal) {
      for (let next = after; !signal.aborted;) {
        if (events.length > next) yield events.slice(next, (next = events.length));
        else
          await Promise.race([
            appended.promise,
            new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
          ]);
      }
    },
  } as unknown as EventStore;
  const models: Record<string, Document[]> = {
    [readModels.renders]: project(renders, events.slice(0, projected)),
    [readModels.deliveries]: project(deliveries, events.slice(0, projected)),
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
    start: (concurrency = 1_000) => {
      const running = runRelay(
        {
          store,
          bus,
          reads,
          concurrency: {
            renders: { maxQuick: concurrency, maxTotal: concurrency * 4 },
            officeRenders: { maxQuick: 1, maxTotal: 4 },
          },
        },
        stop.signal,
        () => clock.now,
      );
      running.catch(() => undefined);
      return { running, stop: async () => (stop.abort(), running) };
    },
    append: (...more: readonly TestEvent[]): void => {
      events.push(...more.map((event, index) => recorded(event, events.length + index)));
      appended.resolve();
      appended = Promise.withResolvers();
    },
  };
};

const waitOptions = { timeout: 60_000 };
const eventually = (read: () => unknown, expected: unknown) =>
  vi.waitFor(() => expect(read()).toEqual(expected), waitOptions);

afterEach(() => void vi.useRealTimers());

describe('The relay', () => {
  it('publishes a message for each render and each webhook delivery, with an id that depends on the task alone', async () => {
    const { published, start, append } = openRelayTest([]);
    const relay = start();
    append(requested('1', 'wait'), requested('2', 'webhook'), started('2'), failed('2', 'webhook'));
    const data = (id: string) => published.find((message) => message.id === id);
    await eventually(() => published.length, 2);
    expect(data('render-1')).toMatchObject({ subject: 'render.requested', urgent: true, data: { stream: 'render-1' } });
    expect(data('delivery-2.1')).toMatchObject({ subject: 'delivery.due', data: { id: '2' } });
    append(
      deliveryEvent('WebhookAttemptStarted', '2'),
      deliveryEvent('WebhookFailed', '2'),
      deliveryEvent('RedeliveryRequested', '2', { round: 2, target: null, startsAt: null }),
    );
    append(
      { type: 'PdfRegenerationRequested', stream: 'render-1', data: {} },
      { type: 'DiagnosisRequested', stream: 'render-1', data: {} },
    );
    await eventually(() => published.slice(2).map(({ id }) => id), ['event 7', 'event 8', 'delivery-2.2']);
    expect(published.slice(2, 4).map((message) => message.data)).toEqual(
      [
        { stream: 'render-1', regenerate: true },
        { stream: 'render-1', diagnose: true },
      ].map((one) => expect.objectContaining(one)),
    );
    await relay.stop();
  });

  it('lets an account use the permits of one renderer process, and of each further process that starts a render', async () => {
    const { ids, start, append } = openRelayTest(Array.from({ length: 9 }, (_, n) => requested(String(n), 'poll')));
    const relay = start(2);
    await eventually(ids, ['render-0', 'render-1']);
    append(started('0', 'one'), started('1', 'one'), requested('z', 'wait', 'other'));
    await eventually(ids, ['render-0', 'render-1', 'render-z']);
    append(started('z', 'two', 'other'));
    await eventually(ids, ['render-0', 'render-1', 'render-z', 'render-2', 'render-3']);
    await relay.stop();
    expect(ids()).toHaveLength(5);
  });

  it('gives office documents a queue and a limit of their own, so that other renders of the account do not wait', async () => {
    const { ids, published, start, append } = openRelayTest([
      ...Array.from({ length: 9 }, (_, n) => requestedDocx(`word-${n}`)),
      requested('html', 'wait'),
      requestedDocx('semantic', { docx_layout: 'semantic' }),
    ]);
    const relay = start(2);
    const first = ['render-html', 'render-semantic', 'render-word-0'];
    await eventually(() => ids().toSorted(), first);
    expect(published.map(({ id, subject }) => `${id} ${subject}`).toSorted()).toEqual([
      'render-html render.requested',
      'render-semantic render.requested',
      'render-word-0 office-render.requested',
    ]);
    append(started('word-0'), failed('word-0', 'wait'));
    await eventually(ids, [...ids().slice(0, 3), 'render-word-1']);
    await relay.stop();
  });

  it('knows the queue of a document after a restart, and of one that is rendered once more', async () => {
    const restarted = [requestedDocx('word'), requestedDocx('semantic', { docx_layout: 'semantic' })];
    const { published, start, append } = openRelayTest(restarted, { checkpoint: 2 });
    const relay = start(2);
    const subjects = () => Object.fromEntries(published.map(({ id, subject }) => [id, subject]));
    const queues = { 'render-word': 'office-render.requested', 'render-semantic': 'render.requested' };
    await eventually(subjects, queues);
    append(
      ...['word', 'semantic'].flatMap((id) => [started(id), failed(id, 'wait')]),
      { type: 'VerificationRequested', stream: 'render-word', data: {} },
      { type: 'PdfRegenerationRequested', stream: 'render-semantic', data: {} },
    );
    const repeated = { 'event 6': 'office-render.requested', 'event 7': 'render.requested' };
    await eventually(subjects, { ...queues, ...repeated });
    append({ type: 'RenderVerified', stream: 'render-word', data: {} });
    append({ type: 'VerificationRequested', stream: 'render-word', data: {} });
    await eventually(subjects, { ...queues, ...repeated, 'event 9': 'office-render.requested' });
    await relay.stop();
    expect(published).toHaveLength(5);
  });

  it('does not count renderer processes that started a render before the relay started', async () => {
    const both = (n: number): TestEvent[] => [requested(`${n}`, 'poll'), started(`${n}`, `former ${n}`)];
    const { ids, start } = openRelayTest(Array.from({ length: 9 }, (_, n) => both(n)).flat());
    const relay = start(2);
    await eventually(ids, ['render-0', 'render-1']);
    await relay.stop();
    expect(ids()).toHaveLength(2);
  });

  it('leaves room for the webhooks of other accounts when attempts of one account wait for receivers or connections', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const many = Array.from({ length: 3_000 }, (_, n) => failed(String(n), 'webhook'));
    const { ids, clock, start, append } = openRelayTest([...many, failed('other', 'webhook', 'b')]);
    const relay = start();
    await vi.waitFor(() => expect(ids()).toContain('delivery-other.1'), waitOptions);
    append(deliveryEvent('WebhookAttemptStarted', '1666'));
    append(deliveryEvent('WebhookAttemptStarted', '0'), attempted('0'));
    for (; clock.now < 65_000; clock.now += 5_000) await vi.advanceTimersByTimeAsync(1_000);
    expect(new Set(ids()).size).toBe(1_668);
    append(deliveryEvent('WebhookDelivered', '0'));
    await vi.waitFor(() => expect(new Set(ids()).size).toBe(1_669), waitOptions);
    await relay.stop();
  });

  it('publishes at most the limit of renders of an account while no renderer starts one', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const many = Array.from({ length: 100 }, (_, n) => requested(String(n), 'poll'));
    const { ids, clock, start, append } = openRelayTest(many);
    const relay = start(2);
    await eventually(ids, ['render-0', 'render-1']);
    for (; clock.now < 600_000; clock.now += 5_000) await vi.advanceTimersByTimeAsync(1_000);
    expect(new Set(ids())).toEqual(new Set(['render-0', 'render-1']));
    const before = ids().length;
    append(requested('other', 'poll', 'b'));
    await eventually(() => ids().slice(before), ['render-other']);
    await relay.stop();
  });

  it('publishes an urgent render at once although many finished documents are rendered once more', async () => {
    const verification = { type: 'VerificationRequested', data: {} };
    const repetitions = ['b', 'c'].flatMap((account) =>
      Array.from({ length: 3 }, (_, n) => ({ ...verification, stream: `render-${account}${n}`, account })),
    );
    const { ids, start, append } = openRelayTest(repetitions);
    const relay = start(2);
    await eventually(() => ids().length, 4);
    append(requested('urgent', 'wait'));
    await eventually(() => ids().slice(4), ['render-urgent']);
    await relay.stop();
    expect(ids()).toHaveLength(5);
  });

  it('does not publish a delivery again while it waits for its next attempt', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { ids, clock, start, append } = openRelayTest([failed('1', 'webhook'), failed('2', 'webhook')]);
    const relay = start();
    await eventually(ids, ['delivery-1.1', 'delivery-2.1']);
    append(deliveryEvent('WebhookAttemptStarted', '1'), attempted('1', '2026-05-20T12:00:30.000Z'));
    append(failed('3', 'webhook'));
    await eventually(() => ids().slice(2), ['delivery-3.1']);
    clock.now = 21_000;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ids().slice(3)).toEqual(['delivery-2.1', 'delivery-3.1']);
    clock.now = 51_000;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ids().slice(5)).toContain('delivery-1.1');
    await relay.stop();
  });

  it('publishes a task again that was neither started nor ended for a while, but not one without events', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { ids, clock, start } = openRelayTest([
      requested('1', 'poll'),
      requested('2', 'poll'),
      { type: 'DiagnosisRequested', stream: 'render-0', data: {} },
    ]);
    const relay = start();
    await eventually(ids, ['event 2', 'render-1', 'render-2']);
    clock.now = 61_000;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ids().slice(3)).toEqual(['render-1', 'render-2']);
    await relay.stop();
  });

  const changes = [deliveryEvent('WebhookAttemptStarted', '1'), attempted('1')];
  it.each(changes)(
    'publishes a delivery whose document was missed while it changed, because of its $type',
    async (event) => {
      const { ids, start } = openRelayTest([failed('1', 'webhook'), event], { checkpoint: 1, projected: 0 });
      const relay = start();
      await eventually(ids, ['delivery-1.1']);
      await relay.stop();
      expect(ids()).toHaveLength(1);
    },
  );

  it('publishes nothing twice while the bus is unavailable for long, and still stops on request', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { bus, clock, start } = openRelayTest([
      requested('1', 'poll'),
      requested('2', 'poll'),
      requested('3', 'poll'),
    ]);
    const received: string[] = [];
    bus.publish = ({ id }) => (received.push(id), new Promise(() => undefined));
    const relay = start(1);
    await eventually(() => received, ['render-1']);
    for (let minute = 1; minute < 10; minute += 1) {
      clock.now = minute * 61_000;
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(received).toEqual(['render-1']);
    await relay.stop();
  });

  it('fails when the bus fails', async () => {
    const { start, published, append } = openRelayTest([]);
    published.push = () => {
      throw new Error('the bus is closed');
    };
    const relay = start();
    append(requested('1', 'poll'));
    await expect(relay.running).rejects.toThrow('the bus is closed');
  });

  it('publishes the open tasks and nothing else, at any checkpoint and with documents ahead of it', async () => {
    const allEvents = (id: string) => [
      requested(id, 'webhook', id),
      started(id, 'w', id),
      failed(id, 'webhook', id),
      deliveryEvent('DeliveryRequested', id, { accountId: id, url: 'x', sealed: null }),
      deliveryEvent('WebhookAttemptStarted', id),
      attempted(id),
      deliveryEvent('WebhookFailed', id),
      deliveryEvent('RedeliveryRequested', id, { round: 2, target: null, startsAt: null }),
    ];
    const openAfter = (eventCount: number, id: string): string[] => {
      if (eventCount === 0 || eventCount === 7) return [];
      return [eventCount < 3 ? `render-${id}` : `delivery-${id}.${eventCount < 8 ? 1 : 2}`];
    };
    const eventCounts = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        eventCounts,
        fc.infiniteStream(fc.nat()),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (counts, choices, checkpointShare, ahead) => {
          const histories = counts.map((count, n) => allEvents(`i${n}`).slice(0, count));
          const events: TestEvent[] = [];
          for (
            let unfinished = histories.filter((history) => history.length > 0);
            unfinished.length > 0;
            unfinished = histories.filter((history) => history.length > 0)
          )
            events.push(unfinished[choices.next().value! % unfinished.length]!.shift()!);
          const checkpoint = Math.floor(checkpointShare * events.length);
          const { ids, start } = openRelayTest(events, {
            checkpoint,
            projected: checkpoint + Math.floor(ahead * (events.length - checkpoint)),
          });
          const relay = start();
          const expected = counts.flatMap((count, n) => openAfter(count, `i${n}`)).toSorted();
          await vi.waitFor(() => expect(ids().toSorted()).toEqual(expected), { ...waitOptions, interval: 1 });
          await relay.stop();
          expect(ids().toSorted()).toEqual(expected);
        },
      ),
    );
  });
});
