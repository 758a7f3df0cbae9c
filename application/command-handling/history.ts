import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EventOf, isEventType } from '#contracts/events/event-schemas.ts';
import type { Decider } from '#libs/domain/decider.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';

/** The event was written by a later release, and its meaning for the state of the stream is unknown. */
class UnknownEventTypeError extends Error {
  constructor({ type, stream, revision }: RecordedEvent) {
    super(
      `event ${type as string} of stream ${stream} at revision ${revision} has a type that this release does not know: ` +
        'update this process to the release that wrote the event',
    );
    this.name = 'UnknownEventTypeError';
  }
}

/**
 * The events of a stream for its decider. Only a state needs all of them: lists of events also show those of a later release.
 * @throws UnknownEventTypeError
 */
export const eventsOfDecider = <State, Command, Event extends EventOf>(
  _: Decider<State, Command, Event>,
  events: readonly RecordedEvent[],
): readonly RecordedEvent<Event>[] => {
  const unknown = events.find(({ type }) => !isEventType(type));
  if (unknown) throw new UnknownEventTypeError(unknown);
  // A stream has only events of its decider.
  return events as readonly RecordedEvent<Event>[];
};

const pageSize = 1_000;

/** The events of a stream from a revision on, oldest first, in pages, since a stream can be long. The last may be empty. */
export async function* readInPages(
  store: Pick<EventStore, 'read'>,
  stream: string,
  from = 0,
): AsyncGenerator<RecordedEvent[]> {
  for (let revision = from; ; revision += pageSize) {
    const page = await store.read(stream, revision, pageSize);
    yield page;
    if (page.length < pageSize) return;
    // SQLite reads synchronously, so other requests get their turn between pages.
    await nextTurn();
  }
}

/** The events of a stream from a revision on, oldest first, however many they are. */
export const readStream = async (
  store: Pick<EventStore, 'read'>,
  stream: string,
  from?: number,
): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const page of readInPages(store, stream, from)) for (const event of page) events.push(event);
  return events;
};

/** The events of a stream from a revision on, for its decider. @throws UnknownEventTypeError */
export const readHistory = async <State, Command, Event extends EventOf>(
  store: Pick<EventStore, 'read'>,
  decider: Decider<State, Command, Event>,
  stream: string,
  from?: number,
): Promise<readonly RecordedEvent<Event>[]> => eventsOfDecider(decider, await readStream(store, stream, from));
