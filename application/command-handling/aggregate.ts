import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { Actor, Metadata } from '#contracts/events/metadata.ts';
import { versionOf } from '#contracts/events/upcast.ts';
import { type Decider, fold } from '#libs/domain/decider.ts';
import {
  type AppendedBlob,
  type EventStore,
  EventTooLarge,
  type NewEvent,
  noStream,
  type RecordedEvent,
  RevisionConflict,
} from '#libs/event-store/port.ts';
import { newId, newRequestId } from '#libs/ids/ulids.ts';
import { count, record } from '#libs/telemetry/metrics.ts';
import { currentTraceparent, isTracingEnabled, otelSystemNames, withSpan } from '#libs/telemetry/tracing.ts';
import { isEventRejected, validateEvent, validateMetadata } from './event-validation.ts';
import { eventsOfDecider, readHistory } from './history.ts';
import { loadState } from './remembered-state.ts';

/** The origin of a command: its actor, account, correlation and trace. */
export type Cause = {
  actor: Actor;
  accountId: string | null;
  correlationId: string;
  causationId: string | null;
  traceparent: string | null;
};

/** What the causes of all commands of a request have in common. */
export type RequestOrigin = Pick<Cause, 'correlationId' | 'traceparent'>;

/** The events of a command. `position` in the event log and `at` (ISO 8601) are null if there are none. */
export type CommandResult<Event> = { events: Event[]; position: number | null; at: string | null };

/** A stream with its folded state. */
export type Aggregate<State, Command, Event> = {
  readonly state: State;
  /**
   * Decides on the current state and appends the events, with long texts truncated. After a conflict with another
   * command it folds the new events and decides again, at most three times. @throws RevisionConflict after the last
   * try; EventTooLarge, InvalidEventError and errors of the decider at once
   * @param blobs are appended with the events
   */
  execute(command: Command, cause: Cause, blobs?: readonly AppendedBlob[]): Promise<CommandResult<Event>>;
  /** The same without retries, for commands that depend on other streams too. @throws RevisionConflict */
  executeOnce(command: Command, cause: Cause, blobs?: readonly AppendedBlob[]): Promise<CommandResult<Event>>;
};

const maxRetries = 3;

/** The event store, and the clock for the times of its events. */
export type EventLog = { store: EventStore; now: () => Date };

type AppendRequest = {
  stream: string;
  types: readonly string[];
  /** W3C `traceparent` of the cause. */
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

/** Runs an append with span and metrics. `work` gets the `traceparent` for the events. */
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

/** Appends. After an error that leaves the outcome open, reads back whether the events were appended. */
const appendOnce = async (
  store: EventStore,
  stream: string,
  events: readonly NewEvent[],
  expected: number,
  blobs: readonly AppendedBlob[] | undefined,
): ReturnType<EventStore['append']> => {
  try {
    return await store.append(stream, events, expected, blobs);
  } catch (error) {
    if (isAppendRejected(error)) throw error;
    const found = await store.read(stream, expected + 1).catch(() => []);
    if (!events.every(({ id }, index) => found[index]?.id === id)) throw error;
    return found[events.length - 1]!;
  }
};

/** Whether a command has certainly no effect. After any other error, its events may have been appended. */
export const isCertainlyNotAppended = (error: unknown): boolean =>
  error instanceof RevisionConflict || isEventRejected(error);

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
    const missed = await readHistory(store, decider, stream, revision + 1);
    state = fold(decider, missed, state);
    revision = missed.at(-1)?.revision ?? revision;
  };

  const executeOnce: Aggregate<State, Command, Event>['executeOnce'] = async (command, cause, blobs) => {
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
          blobs,
        );
      },
    );
    state = fold(decider, events, state);
    revision = appended.revision;
    return { events, position: appended.position, at: at.toISOString() };
  };

  const execute: Aggregate<State, Command, Event>['execute'] = async (command, cause, blobs) => {
    for (let retry = 0; ; retry += 1) {
      try {
        return await executeOnce(command, cause, blobs);
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
    executeOnce,
  };
};

/** An aggregate for a new stream, without a read. */
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

/** Reads a stream. Returns its history and its aggregate. @throws UnknownEventTypeError */
export const loadAggregate = async <State, Command, Event extends EventOf>(
  eventLog: EventLog,
  decider: Decider<State, Command, Event>,
  stream: string,
) => ({
  ...aggregateFromHistory(eventLog, decider, stream, await readHistory(eventLog.store, decider, stream)),
  isComplete: true,
});

/**
 * The aggregate of a stream that can become long, with its last event. Reads only the events that this process has not read
 * before. @throws UnknownEventTypeError
 */
export const loadRememberedAggregate = async <State, Command, Event extends EventOf>(
  eventLog: EventLog,
  decider: Decider<State, Command, Event>,
  stream: string,
) => {
  const { state, last } = await loadState(eventLog.store, decider, stream);
  const revision = last?.revision ?? noStream;
  return { last, aggregate: createAggregate(eventLog, decider, stream, { state, revision }) };
};

/**
 * Uses the events that this process has appended or received recently, if there are any. Then `isComplete` is false: the
 * last events may be missing, so that an append conflicts and the command is decided again.
 */
export const loadCachedAggregate = async <State, Command, Event extends EventOf>(
  eventLog: EventLog,
  decider: Decider<State, Command, Event>,
  stream: string,
) => {
  const recent = eventLog.store.readCached(stream);
  return recent
    ? { ...aggregateFromHistory(eventLog, decider, stream, eventsOfDecider(decider, recent)), isComplete: false }
    : loadAggregate(eventLog, decider, stream);
};

/** The cause of a command without a predecessor, which a request may have. `accountId` is a bare id. */
export const newCause = (
  actor: Actor,
  accountId: string | null,
  { correlationId, traceparent }: RequestOrigin = { correlationId: newRequestId(), traceparent: null },
): Cause => ({ actor, accountId, correlationId, causationId: null, traceparent });

/**
 * The cause of a worker's command for an event, with the correlation and trace of the event. `worker` is the name of
 * the actor.
 */
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
