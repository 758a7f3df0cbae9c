import { describe, expect, it, vi } from 'vitest';
import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import type { Decider } from '#libs/domain/decider.ts';
import {
  type EventStore,
  EventTooLarge,
  maxEventBytes,
  type RecordedEvent,
  RevisionConflict,
} from '#libs/event-store/port.ts';
import { newAggregate, type Cause, loadAggregate, loadRememberedAggregate } from './aggregate.ts';

type Counted = EventOf<'WebhookSecretRotated'>;
const previousValidUntil = '2026-05-21T12:00:00.000Z';
type Count = { type: 'count' } | { type: 'countTwice' } | { type: 'rest' };

const counter: Decider<number, Count, Counted> = {
  initial: 0,
  evolve: (_, { data }) => data.generation,
  decide: ({ type }, state) => {
    const to = (generation: number): Counted => ({
      type: 'WebhookSecretRotated',
      data: { generation, previousValidUntil },
    });
    if (type === 'rest') return [];
    return type === 'count' ? [to(state + 1)] : [to(state + 1), to(state + 2)];
  },
};

const cause: Cause = {
  actor: { kind: 'service', name: 'tests' },
  accountId: null,
  correlationId: 'request',
  causationId: null,
  traceparent: null,
};
const now = (): Date => new Date('2026-05-20T12:00:00.000Z');

/** One stream in memory. `before` and `after` happen at each append, and may throw. */
const openLog = ({ before, after }: { before?: (events: RecordedEvent[]) => void; after?: () => void } = {}) => {
  const events: RecordedEvent[] = [];
  const store = {
    append: async (stream, added, expected) => {
      before?.(events);
      if (events.length - 1 !== expected) throw new RevisionConflict(stream, expected);
      for (const event of added)
        events.push({ ...event, stream, revision: events.length, position: events.length + 100 });
      after?.();
      return events.at(-1)!;
    },
    read: async (_, from = 0, limit?: number) => events.slice(from, limit === undefined ? undefined : from + limit),
  } satisfies Partial<EventStore> as unknown as EventStore;
  return { store, events, eventLog: { store, now } };
};

const numbers = (events: readonly RecordedEvent[]): number[] =>
  events.map(({ data }) => (data as Counted['data']).generation);
/** A concurrent command of another process. */
const other = (events: RecordedEvent[]): void => {
  events.push({
    id: `other ${events.length}`,
    type: 'WebhookSecretRotated',
    version: 1,
    data: { generation: 10 * (events.length + 1), previousValidUntil },
    metadata: { ...cause, occurredAt: '' },
    stream: 'counter-1',
    revision: events.length,
    position: events.length + 100,
  });
};

describe('A command', () => {
  it('appends the decided events with time and cause, and returns their position', async () => {
    const { eventLog, events } = openLog();
    const counting = newAggregate(eventLog, counter, 'counter-1');
    expect(await counting.execute({ type: 'countTwice' }, cause)).toMatchObject({
      position: 101,
      at: '2026-05-20T12:00:00.000Z',
    });
    expect(await counting.execute({ type: 'count' }, cause)).toMatchObject({ position: 102 });
    expect([numbers(events), counting.state]).toEqual([[1, 2, 3], 3]);
    expect(events[0]).toMatchObject({
      type: 'WebhookSecretRotated',
      version: 1,
      metadata: { ...cause, occurredAt: '2026-05-20T12:00:00.000Z' },
    });
    expect(new Set(events.map(({ id }) => id)).size).toBe(3);
  });

  it('without decided events appends nothing', async () => {
    const { eventLog, events } = openLog();
    expect(await newAggregate(eventLog, counter, 'counter-1').execute({ type: 'rest' }, cause)).toEqual({
      events: [],
      position: null,
      at: null,
    });
    expect(events).toEqual([]);
  });

  it('is decided again after a conflict, up to three times', async () => {
    let left = 3;
    const { eventLog, events } = openLog({ before: (there) => void (left-- > 0 && other(there)) });
    const { aggregate } = await loadAggregate(eventLog, counter, 'counter-1');
    await aggregate.execute({ type: 'count' }, cause);
    expect(numbers(events)).toEqual([10, 20, 30, 31]);
  });

  it('fails after the fourth conflict, or after the first one with executeOnce', async () => {
    const crowded = openLog({ before: other });
    await expect(
      newAggregate(crowded.eventLog, counter, 'counter-1').execute({ type: 'count' }, cause),
    ).rejects.toThrow(RevisionConflict);
    expect(crowded.events.length).toBe(4);
    const once = openLog({ before: other });
    await expect(
      newAggregate(once.eventLog, counter, 'counter-1').executeOnce({ type: 'count' }, cause),
    ).rejects.toThrow(RevisionConflict);
    expect(once.events.length).toBe(1);
  });

  it('whose append reply is lost is executed once', async () => {
    let lost = true;
    const { eventLog, events } = openLog({
      after: () => {
        if (lost) throw new Error('the connection is gone');
      },
    });
    const counting = newAggregate(eventLog, counter, 'counter-1');
    expect(await counting.execute({ type: 'countTwice' }, cause)).toMatchObject({ position: 101 });
    lost = false;
    await counting.execute({ type: 'count' }, cause);
    expect(numbers(events)).toEqual([1, 2, 3]);
  });

  it('that was not executed fails with the error, even after a concurrent append', async () => {
    for (const meanwhile of [() => undefined, other]) {
      const { eventLog } = openLog({
        before: (there) => {
          meanwhile(there);
          throw new Error('the disk is full');
        },
      });
      await expect(newAggregate(eventLog, counter, 'counter-1').execute({ type: 'count' }, cause)).rejects.toThrow(
        'the disk is full',
      );
    }
  });

  it('whose event is too large is not read back', async () => {
    let looks = 0;
    const read = async (): Promise<RecordedEvent[]> => {
      looks += 1;
      return [];
    };
    const refusing = {
      ...openLog().store,
      append: () => Promise.reject(new EventTooLarge('WebhookSecretRotated', 1e6)),
      read,
    };
    await expect(
      newAggregate({ store: refusing, now }, counter, 'counter-1').execute({ type: 'count' }, cause),
    ).rejects.toThrow(EventTooLarge);
    expect(looks).toBe(0);
  });
});

describe('Text of a document or caller in an event', () => {
  const failed: RenderEvent = {
    type: 'RenderFailed',
    data: {
      attempt: 1,
      error: { name: 'image_load_failed', message: 'x'.repeat(1e6), extra: { image_url: '\u0000'.repeat(1e6) } },
      responseMode: 'wait',
      totalMs: 1,
      quotaRefundDate: null,
    },
  };
  const failing = (event: RenderEvent): Decider<RenderEvent[], { type: 'fail' }, RenderEvent> => ({
    initial: [],
    evolve: (events, one) => [...events, one],
    decide: () => [event],
  });

  it('is truncated in the event log, in the state and in the result', async () => {
    const { eventLog, events } = openLog();
    const aggregate = newAggregate(eventLog, failing(failed), 'render-1');
    const { events: returned } = await aggregate.execute(
      { type: 'fail' },
      { ...cause, correlationId: 'x'.repeat(1e6) },
    );
    for (const part of [events[0]!.data, events[0]!.metadata])
      expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(maxEventBytes);
    expect(events[0]!.data).toEqual(returned[0]!.data);
    expect(aggregate.state.map(({ data }) => data)).toEqual([returned[0]!.data]);
  });

  it('is rejected if it does not match the schema', async () => {
    const { eventLog, events } = openLog();
    const malformed = { ...failed, data: { ...failed.data, totalMs: NaN } } as RenderEvent;
    await expect(
      newAggregate(eventLog, failing(malformed), 'render-1').execute({ type: 'fail' }, cause),
    ).rejects.toThrow(/event RenderFailed does not match its schema: totalMs/);
    expect(events).toEqual([]);
  });
});

describe('A stream', () => {
  it('is loaded with its history and continues after it', async () => {
    const { eventLog, events } = openLog();
    other(events);
    const { history, aggregate } = await loadAggregate(eventLog, counter, 'counter-1');
    expect([history.length, aggregate.state]).toEqual([1, 10]);
    await aggregate.executeOnce({ type: 'count' }, cause);
    expect(numbers(events)).toEqual([10, 11]);
  });

  it('is read in pages, and later only from its last known event on', async () => {
    const { eventLog, events } = openLog();
    const load = () => loadRememberedAggregate(eventLog, counter, 'counter-1');
    expect((await load()).last).toBe(undefined);
    for (let count = 0; count < 2_500; count += 1) other(events);
    const read = vi.spyOn(eventLog.store, 'read');
    expect((await load()).aggregate.state).toBe(25_000);
    expect(read.mock.calls.map(([, from]) => from)).toEqual([0, 1_000, 2_000]);
    other(events);
    const { last, aggregate } = await load();
    expect([last?.revision, aggregate.state]).toEqual([2_500, 25_010]);
    expect(read.mock.lastCall).toEqual(['counter-1', 2_500, 1_000]);
    await aggregate.executeOnce({ type: 'count' }, cause);
    expect(numbers(events.slice(-1))).toEqual([25_011]);
  });

  it('with an event of a later release is refused, because its state is unknown', async () => {
    const { eventLog, events } = openLog();
    const counting = newAggregate(eventLog, counter, 'counter-1');
    other(events);
    events.push({ ...events[0]!, type: 'WebhookSecretLent', revision: 1 } as unknown as RecordedEvent);
    const refusal = /WebhookSecretLent of stream counter-1 at revision 1 .* update this process/;
    await expect(loadAggregate(eventLog, counter, 'counter-1')).rejects.toThrow(refusal);
    await expect(counting.execute({ type: 'count' }, cause)).rejects.toThrow(refusal);
    expect(events).toHaveLength(2);
  });
});
