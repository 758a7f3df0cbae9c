import { LRUCache } from 'lru-cache';
import type { EventOf } from '#contracts/events/event-schemas.ts';
import { type Decider, fold } from '#libs/domain/decider.ts';
import { type EventStore, noStream, type RecordedEvent } from '#libs/event-store/port.ts';
import { eventsOfDecider, readInPages } from './history.ts';

/** `last` is the last event in the state; undefined for a stream without events. */
export type RememberedState<State, Event extends EventOf> = { state: State; last: RecordedEvent<Event> | undefined };

const maxStreams = 10_000;

/** By the event store, so that each has its own streams. A stream has one decider. */
const statesByStore = new WeakMap<object, LRUCache<string, RememberedState<unknown, EventOf>>>();

/**
 * Folds a stream, and remembers the state in this process. Each call reads the events that the state does not contain yet,
 * so that a change by any process is in effect at once, and a long stream costs no more than a short one.
 */
export const loadState = async <State, Command, Event extends EventOf>(
  store: Pick<EventStore, 'read'>,
  decider: Decider<State, Command, Event>,
  stream: string,
): Promise<RememberedState<State, Event>> => {
  const states = statesByStore.get(store) ?? new LRUCache({ max: maxStreams });
  statesByStore.set(store, states);
  let { state, last } = (states.get(stream) ?? { state: decider.initial, last: undefined }) as RememberedState<
    State,
    Event
  >;
  for await (const page of readInPages(store, stream, (last?.revision ?? noStream) + 1)) {
    const missed = eventsOfDecider(decider, page);
    // Unknown ids are not remembered, because anyone can invent them.
    if (missed.length === 0) break;
    state = fold(decider, missed, state);
    last = missed.at(-1)!;
    states.set(stream, { state, last });
  }
  return { state, last };
};
