import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { Actor, Metadata } from '#contracts/events/metadata.ts';
import { versionOf } from '#contracts/events/upcast.ts';
import { type Decider, fold } from '#libs/domain/decider.ts';
import {
  type EventStore,
  EventTooLarge,
  type NewEvent,
  noStream,
  type RecordedEvent,
  RevisionConflict,
} from '#libs/event-store/port.ts';
import { newId } from '#libs/ids/ulids.ts';
import { count, record } from '#libs/telemetry/metrics.ts';
import { currentTraceparent, isTracingEnabled, otelSystemNames, withSpan } from '#libs/telemetry/tracing.ts';
import { validateEvent, validateMetadata } from './event-validation.ts';

/** Where a command comes from: who gave it, for which account, in which correlation. */
export type Cause = {
  actor: Actor;
  accountId: string | null;
  correlationId: string;
  causationId: string | null;
  traceparent: string | null;
};

/** What a command led to: `position` in the log and `at` (ISO 8601) are null where nothing was appended. */
export type CommandResult<Event> = { events: Event[]; position: number | null; at: string | null };

/** A stream with its state folded, ready to take commands. */
export type Aggregate<State, Command, Event> = {
  readonly state: State;
  /**
   * Decides on the present state and appends what follows, cut to what an event has room for; where another command was faster, folds again and decides anew, three times.
   * No events: the command had nothing to add. @throws RevisionConflict after the last try, EventTooLarge and MalformedEvent at once, and whatever the decider throws.
   */
  execute(command: Command, cause: Cause): Promise<CommandResult<Event>>;
  /** The same without a second try, for commands that rest on more than this stream. @throws RevisionConflict */
  executeOnce(command: Command, cause: Cause): Promise<CommandResult<Event>>;
};

const maxRetries = 3;

/** The log, and the clock that its events are dated by. */
export type EventLog = { store: EventStore; now: () => Date };

type AppendRequest = {
  stream: string;
  types: readonly string[];
  /** W3C `traceparent` of what led to the events. */
  parentTraceparent: string | null;
};

const traceAppend = <T>(
  { stream, types, parentTraceparent }: AppendRequest,
  work: (traceparent: string | null) => Promise<T>,
): Promise<T> => {
  if (!isTracingEnabled()) return work(parentTraceparent);
  const kind = stream.slice(0, stream.indexOf('-'));
  const attributes = {
    'db.system.name': otelSystemNames().store,
    'db.operation.name': 'append',
    'db.collection.name': kind,
    'colophon.stream': stream,
    'colophon.event.types': types.join(' '),
  };
  return withSpan(
    { name: `append ${kind}`, kind: 'client', attributes, parent: currentTraceparent() ? null : parentTraceparent },
    (span) => work(span.traceparent),
  );
};

/** An append to the log in its span, timed and counted. `work` is given the `traceparent` that its events carry on. */
const observedAppend = async <T>(
  append: AppendRequest,
  work: (traceparent: string | null) => Promise<T>,
): Promise<T> => {
  const started = performance.now();
  const appended = await traceAppend(append, work);
  record('colophon.append.duration', (performance.now() - started) / 1000, {});
  for (const type of append.types) count('colophon.events.appended', 1, { type });
  return appended;
};

const isAppendRejected = (error: unknown): boolean =>
  error instanceof RevisionConflict || error instanceof EventTooLarge;

/** Appends, and where an error may have cost the answer alone looks whether the events are there. */
const appendOnce = async (
  store: EventStore,
  stream: string,
  events: readonly NewEvent[],
  expected: number,
): ReturnType<EventStore['append']> => {
  try {
    return await store.append(stream, events, expected);
  } catch (error) {
    if (isAppendRejected(error)) throw error;
    const there = await store.read(stream, expected + 1).catch(() => []);
    if (!events.every(({ id }, index) => there[index]?.id === id)) throw error;
    return there[events.length - 1]!;
  }
};

/** A stream holds events of its decider alone. */
const eventsOfDecider = <Event extends EventOf>(events: readonly RecordedEvent[]) =>
  events as readonly RecordedEvent<Event>[];

const createMetadata = (cause: Cause, traceparent: string | null, now: Date): Metadata =>
  validateMetadata({ occurredAt: now.toISOString(), ...cause, traceparent });

const createAggregate = <State, Command, Event extends EventOf>(
  { store, now }: EventLog,
  decider: Decider<State, Command, Event>,
  stream: string,
  start: { state: State; revision: number },
): Aggregate<State, Command, Event> => {
  let { state, revision } = start;

  const catchUp = async (): Promise<void> => {
    const missed = eventsOfDecider<Event>(await store.read(stream, revision + 1));
    state = fold(decider, missed, state);
    revision = missed.at(-1)?.revision ?? revision;
  };

  const attempt = async (command: Command, cause: Cause): Promise<CommandResult<Event>> => {
    const events = decider.decide(command, state).map(validateEvent);
    if (events.length === 0) return { events, position: null, at: null };
    const at = now();
    const appended = await observedAppend(
      { stream, types: events.map(({ type }) => type), parentTraceparent: cause.traceparent },
      (traceparent) => {
        const metadata = createMetadata(cause, traceparent, at);
        return appendOnce(
          store,
          stream,
          events.map((event: EventOf) => ({ ...event, id: newId(), version: versionOf(event.type), metadata })),
          revision,
        );
      },
    );
    state = fold(decider, events, state);
    revision = appended.revision;
    return { events, position: appended.position, at: at.toISOString() };
  };

  const execute = async (command: Command, cause: Cause): Promise<CommandResult<Event>> => {
    for (let retry = 0; ; retry += 1) {
      try {
        return await attempt(command, cause);
      } catch (error) {
        if (!(error instanceof RevisionConflict) || retry === maxRetries) throw error;
        count('colophon.append.conflicts', 1, {});
        await catchUp();
      }
    }
  };

  return {
    get state() {
      return state;
    },
    execute,
    executeOnce: attempt,
  };
};

/** A stream that is known to have no events yet: nothing is read. */
export const newAggregate = <State, Command, Event extends EventOf>(
  eventLog: EventLog,
  decider: Decider<State, Command, Event>,
  stream: string,
): Aggregate<State, Command, Event> =>
  createAggregate(eventLog, decider, stream, { state: decider.initial, revision: noStream });

const aggregateFromHistory = <State, Command, Event extends EventOf>(
  eventLog: EventLog,
  decider: Decider<State, Command, Event>,
  stream: string,
  history: readonly RecordedEvent<Event>[],
) => {
  const state = fold(decider, history);
  return {
    history,
    aggregate: createAggregate(eventLog, decider, stream, { state, revision: history.at(-1)?.revision ?? noStream }),
  };
};

/** A stream with its history folded, and the history itself. */
export const loadAggregate = async <State, Command, Event extends EventOf>(
  eventLog: EventLog,
  decider: Decider<State, Command, Event>,
  stream: string,
) => ({
  ...aggregateFromHistory(eventLog, decider, stream, eventsOfDecider<Event>(await eventLog.store.read(stream))),
  isWhole: true,
});

/** As `load`, without a read where a subscription of this process has brought the stream. Then `isWhole` is false: the last events may be missing, and what is decided on an old state is decided anew. */
export const loadCachedAggregate = async <State, Command, Event extends EventOf>(
  eventLog: EventLog,
  decider: Decider<State, Command, Event>,
  stream: string,
) => {
  const recent = eventLog.store.readCached?.(stream);
  return recent
    ? { ...aggregateFromHistory(eventLog, decider, stream, eventsOfDecider<Event>(recent)), isWhole: false }
    : loadAggregate(eventLog, decider, stream);
};

/** A command that nothing led to, for an account by its bare id, or for none. */
export const newCause = (actor: Actor, accountId: string | null): Cause => ({
  actor,
  accountId,
  correlationId: newId(),
  causationId: null,
  traceparent: null,
});

/** The cause of a command that a worker gives because of an event: the same correlation and trace. `worker` names the process in the log. */
export const causedBy = (
  { id, metadata: { accountId, correlationId, traceparent } }: RecordedEvent,
  worker: string,
): Cause => ({
  actor: { kind: 'service', name: worker },
  accountId,
  correlationId,
  causationId: id,
  traceparent,
});
