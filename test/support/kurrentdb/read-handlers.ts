import { type ServerWritableStream, status } from '@grpc/grpc-js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { ReadReq, ReadResp } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { StandInEventLog, StoredEvent } from './stand-in-event-log.ts';
import {
  caughtUpMessage,
  checkpointMessage,
  confirmationMessage,
  eventMessage,
  nameOf,
  notFoundMessage,
} from './messages.ts';

type Call = ServerWritableStream<ReadReq, ReadResp>;
type Matches = (event: StoredEvent) => boolean;

/** The window size if the caller sets none. */
const defaultSearchWindow = 32;

const eventFilterOf = (
  filter: ReadReq.Options.FilterOptions | undefined,
): { matches: Matches; checkpointEvery: number } => {
  if (!filter) return { matches: () => true, checkpointEvery: 0 };
  const byStream = filter.getStreamIdentifier();
  const expression = byStream ?? filter.getEventType()!;
  const prefixes = expression.getPrefixList();
  const regex = new RegExp(expression.getRegex());
  const textMatches = (text: string): boolean =>
    prefixes.length > 0 ? prefixes.some((prefix) => text.startsWith(prefix)) : regex.test(text);
  return {
    matches: (event) => textMatches(byStream ? event.stream : event.type),
    checkpointEvery:
      (filter.hasMax() ? filter.getMax() : defaultSearchWindow) * filter.getCheckpointintervalmultiplier(),
  };
};

/** Writes to a caller that may be slow or disconnected. */
type ResponseWriter = {
  /** Waits while the caller is slow; false once it is disconnected. */
  send(message: ReadResp): Promise<boolean>;
  onDisconnect(listener: () => void): void;
};

const createResponseWriter = (call: Call): ResponseWriter => {
  let isDisconnected = false;
  let drained = Promise.withResolvers<void>();
  const listeners: (() => void)[] = [];
  const go = (): void => {
    isDisconnected = true;
    drained.resolve();
    for (const listener of listeners) listener();
  };
  call.on('cancelled', go);
  call.on('close', go);
  call.on('error', go);
  call.on('drain', () => drained.resolve());
  return {
    send: async (message) => {
      if (isDisconnected || call.cancelled) return false;
      const taken = call.write(message);
      if (taken) return true;
      drained = Promise.withResolvers();
      await drained.promise;
      return !isDisconnected;
    },
    onDisconnect: (listener) => void listeners.push(listener),
  };
};

const sendAll = async (call: Call, events: readonly StoredEvent[]): Promise<void> => {
  const { send } = createResponseWriter(call);
  for (const event of events) if (!(await send(eventMessage(event)))) return;
  call.end();
};

const takeMatching = (
  events: readonly StoredEvent[],
  backwards: boolean,
  count: number,
  matches: Matches = () => true,
): StoredEvent[] => {
  const taken: StoredEvent[] = [];
  for (let step = 0; step < events.length && taken.length < count; step += 1) {
    const event = events[backwards ? events.length - 1 - step : step]!;
    if (matches(event)) taken.push(event);
  }
  return taken;
};

const serveStreamRead = async (call: Call, eventLog: StandInEventLog, options: ReadReq.Options): Promise<void> => {
  const asked = options.getStream()!;
  const name = nameOf(asked.getStreamIdentifier());
  const events = eventLog.eventsOfStream(name);
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const count = Number(options.getCount());
  if (events.length === 0) {
    call.write(notFoundMessage(name));
    call.end();
    return;
  }
  const from = asked.hasRevision() ? Number(asked.getRevision()) : undefined;
  const wanted = backwards
    ? events.slice(0, asked.hasEnd() ? undefined : (from ?? -1) + 1)
    : events.slice(asked.hasEnd() ? events.length : (from ?? 0));
  await sendAll(call, takeMatching(wanted, backwards, count));
};

/** Reading forwards includes the start position, reading backwards does not. */
const serveAllRead = async (call: Call, eventLog: StandInEventLog, options: ReadReq.Options): Promise<void> => {
  const asked = options.getAll()!;
  const { matches } = eventFilterOf(options.getFilter());
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const index = asked.hasPosition() ? eventLog.indexFrom(Number(asked.getPosition()!.getCommitPosition())) : undefined;
  const wanted = backwards
    ? eventLog.all.slice(0, asked.hasEnd() ? undefined : (index ?? 0))
    : eventLog.all.slice(asked.hasEnd() ? eventLog.all.length : (index ?? 0));
  await sendAll(call, takeMatching(wanted, backwards, Number(options.getCount()), matches));
};

/**
 * `subscribedAfter` are the start positions of all subscriptions. `waitingSubscriptions` is the current number; the others
 * count since the start.
 */
export type ServerCounters = {
  subscribedAfter: number[];
  eventsSent: number;
  appends: number;
  reads: number;
  brokenSubscriptions: number;
  tooSlowSubscriptions: number;
  waitingSubscriptions: number;
};

/** How many events and checkpoints a live subscriber can be behind. */
const liveBufferSize = 32;
const tooSlowError = {
  code: status.ABORTED,
  details: 'Consumer too slow to handle event while live. Client resubscription required',
};

/**
 * Serves a subscription: catches up after its position, then sends new events. Sends checkpoints while the filter passes
 * over events.
 */
const serveSubscription = async (
  call: Call,
  eventLog: StandInEventLog,
  options: ReadReq.Options,
  counters: ServerCounters,
): Promise<void> => {
  const asked = options.getAll()!;
  counters.subscribedAfter.push(Number(asked.getPosition()?.getCommitPosition() ?? 0));
  const { matches, checkpointEvery } = eventFilterOf(options.getFilter());
  let index = asked.hasEnd()
    ? eventLog.all.length
    : asked.hasPosition()
      ? eventLog.indexFrom(Number(asked.getPosition()!.getCommitPosition()) + 1)
      : 0;
  let sinceCheckpoint = 0;
  let wake = Promise.withResolvers<void>();
  const unsubscribe = eventLog.onAppend(() => wake.resolve());
  const { send, onDisconnect } = createResponseWriter(call);
  onDisconnect(() => wake.resolve());

  const sendEvent = async (event: StoredEvent): Promise<boolean> => {
    if (matches(event)) {
      if (!(await send(eventMessage(event)))) return false;
      counters.eventsSent += 1;
    }
    sinceCheckpoint += 1;
    if (sinceCheckpoint !== checkpointEvery) return true;
    sinceCheckpoint = 0;
    return send(checkpointMessage(event.position));
  };

  const behind = (): number => {
    const left = eventLog.all.slice(index);
    return (
      left.filter(matches).length +
      (checkpointEvery > 0 ? Math.floor((sinceCheckpoint + left.length) / checkpointEvery) : 0)
    );
  };

  try {
    if (!(await send(confirmationMessage()))) return;
    for (let live = false; ;) {
      wake = Promise.withResolvers();
      for (; index < eventLog.all.length; index += 1) {
        const before = eventLog.all.length;
        if (!(await sendEvent(eventLog.all[index]!))) return;
        // The buffer only overflows while the call is blocked.
        if (live && eventLog.all.length > before && behind() > liveBufferSize) {
          counters.tooSlowSubscriptions += 1;
          call.emit('error', tooSlowError);
          return;
        }
      }
      if (!live && !(await send(caughtUpMessage()))) return;
      live = true;
      await wake.promise;
      if (call.cancelled) return;
    }
  } finally {
    unsubscribe();
  }
};

export const createReadHandler =
  (eventLog: StandInEventLog, counters: ServerCounters) =>
  async (call: Call): Promise<void> => {
    const options = call.request.getOptions()!;
    if (options.hasSubscription()) await serveSubscription(call, eventLog, options, counters);
    else {
      counters.reads += 1;
      await (options.hasAll() ? serveAllRead : serveStreamRead)(call, eventLog, options);
    }
  };
