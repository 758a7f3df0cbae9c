import { randomUUID } from 'node:crypto';
import type { EventStore, NewEvent, RecordedEvent } from '#libs/event-store/port.ts';

/** An event with a new id and a type that is only for tests. */
export const newEvent = (data: unknown = {}): NewEvent => newEventWith(data);

/** The same for data that may not be JSON. Engines store any type and any JSON. */
export const newEventWith = (data: unknown): NewEvent => {
  const metadata = {
    occurredAt: '2026-01-02T03:04:05.678Z',
    actor: { kind: 'service', name: 'suite' },
    accountId: 'acc_1',
    correlationId: 'c-1',
    causationId: null,
    traceparent: null,
  };
  return { id: randomUUID(), type: 'SomethingHappened', version: 1, data, metadata } as unknown as NewEvent;
};

export const newEvents = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, number) => newEvent({ number }));

/** Appends the events one by one to an empty stream. */
export const appendEach = async (store: EventStore, stream: string, events: readonly NewEvent[]): Promise<void> => {
  for (const [index, event] of events.entries()) await store.append(stream, [event], index - 1);
};

/** Subscribes, returns the next `count` events and ends the subscription. */
export const readSubscription = async (store: EventStore, after: number, count: number): Promise<RecordedEvent[]> => {
  const enough = new AbortController();
  const events: RecordedEvent[] = [];
  if (count === 0) return events;
  for await (const batch of store.subscribe(after, enough.signal)) {
    events.push(...batch);
    if (events.length >= count) enough.abort();
  }
  return events;
};

export const eventIds = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id);

/** Whether positions increase, no event is repeated, and revisions of each stream increase by one. */
export const isInOrder = (events: readonly RecordedEvent[]): boolean => {
  const revisions = new Map<string, number>();
  return (
    new Set(eventIds(events)).size === events.length &&
    events.every((event, index) => {
      const before = revisions.get(event.stream);
      revisions.set(event.stream, event.revision);
      return (
        (index === 0 || event.position > events[index - 1]!.position) &&
        (before === undefined || event.revision === before + 1)
      );
    })
  );
};
