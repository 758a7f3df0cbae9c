import { type ServerWritableStream, status } from '@grpc/grpc-js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { ReadReq, ReadResp } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { FakeEventLog, StoredEvent } from './fake-event-log.ts';
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

/** The size of a window where the caller leaves it open. */
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

/** Writes to a caller who may be slow, or gone. */
type ResponseWriter = {
  /** Waits where the caller does not take any more; false once the caller is gone. */
  send(message: ReadResp): Promise<boolean>;
  onDisconnect(listener: () => void): void;
};

const createResponseWriter = (call: Call): ResponseWriter => {
  let isGone = false;
  let room = Promise.withResolvers<void>();
  const listeners: (() => void)[] = [];
  const go = (): void => {
    isGone = true;
    room.resolve();
    for (const tell of listeners) tell();
  };
  call.on('cancelled', go);
  call.on('close', go);
  call.on('error', go);
  call.on('drain', () => room.resolve());
  return {
    send: async (message) => {
      if (isGone || call.cancelled) return false;
      const taken = call.write(message);
      if (taken) return true;
      room = Promise.withResolvers();
      await room.promise;
      return !isGone;
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

const serveStreamRead = async (call: Call, log: FakeEventLog, options: ReadReq.Options): Promise<void> => {
  const asked = options.getStream()!;
  const name = nameOf(asked.getStreamIdentifier());
  const events = log.eventsOfStream(name);
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

/** Forwards a position is included, backwards it is not. */
const serveAllRead = async (call: Call, log: FakeEventLog, options: ReadReq.Options): Promise<void> => {
  const asked = options.getAll()!;
  const { matches } = eventFilterOf(options.getFilter());
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const index = asked.hasPosition() ? log.indexFrom(Number(asked.getPosition()!.getCommitPosition())) : undefined;
  const wanted = backwards
    ? log.all.slice(0, asked.hasEnd() ? undefined : (index ?? 0))
    : log.all.slice(asked.hasEnd() ? log.all.length : (index ?? 0));
  await sendAll(call, takeMatching(wanted, backwards, Number(options.getCount()), matches));
};

/**
 * Of the subscriptions: after which positions they began, how many events they were told of, how many were broken off or ended as too
 * slow, and how many are kept waiting now; and how many appends and reads came.
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

/** A live subscriber may be so many events and checkpoints behind. */
const liveBufferSize = 32;
const tooSlowError = {
  code: status.ABORTED,
  details: 'Consumer too slow to handle event while live. Client resubscription required',
};

/** A subscription begins after its position, first catches up and then goes on as events come; where a filter passes over much, it tells how far it is. */
const serveSubscription = async (
  call: Call,
  log: FakeEventLog,
  options: ReadReq.Options,
  readings: ServerCounters,
): Promise<void> => {
  const asked = options.getAll()!;
  readings.subscribedAfter.push(Number(asked.getPosition()?.getCommitPosition() ?? 0));
  const { matches, checkpointEvery } = eventFilterOf(options.getFilter());
  let index = asked.hasEnd()
    ? log.all.length
    : asked.hasPosition()
      ? log.indexFrom(Number(asked.getPosition()!.getCommitPosition()) + 1)
      : 0;
  let sinceCheckpoint = 0;
  let wake = Promise.withResolvers<void>();
  const forget = log.onAppend(() => wake.resolve());
  const { send, onDisconnect } = createResponseWriter(call);
  onDisconnect(() => wake.resolve());

  const tell = async (event: StoredEvent): Promise<boolean> => {
    if (matches(event)) {
      if (!(await send(eventMessage(event)))) return false;
      readings.eventsSent += 1;
    }
    sinceCheckpoint += 1;
    if (sinceCheckpoint !== checkpointEvery) return true;
    sinceCheckpoint = 0;
    return send(checkpointMessage(event.position));
  };

  const behind = (): number => {
    const left = log.all.slice(index);
    return (
      left.filter(matches).length +
      (checkpointEvery > 0 ? Math.floor((sinceCheckpoint + left.length) / checkpointEvery) : 0)
    );
  };

  try {
    if (!(await send(confirmationMessage()))) return;
    for (let live = false; ;) {
      wake = Promise.withResolvers();
      for (; index < log.all.length; index += 1) {
        const before = log.all.length;
        if (!(await tell(log.all[index]!))) return;
        // Only a call that takes no more at the moment makes the buffer run over.
        if (live && log.all.length > before && behind() > liveBufferSize) {
          readings.tooSlowSubscriptions += 1;
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
    forget();
  }
};

export const createReadHandler =
  (log: FakeEventLog, readings: ServerCounters) =>
  async (call: Call): Promise<void> => {
    const options = call.request.getOptions()!;
    if (options.hasSubscription()) await serveSubscription(call, log, options, readings);
    else {
      readings.reads += 1;
      await (options.hasAll() ? serveAllRead : serveStreamRead)(call, log, options);
    }
  };
