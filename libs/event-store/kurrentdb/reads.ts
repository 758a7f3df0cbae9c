import type { CallOptions, Metadata } from '@grpc/grpc-js';
import type { AllStreamRecordedEvent, KurrentDBClient } from '@kurrent/kurrentdb-client';
import convert from '@kurrent/kurrentdb-client/dist/utils/convertGrpcEvent.js';
import shared from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import rpc from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import type { StreamsClient } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { ReadReq, ReadResp } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { RecordedEvent } from '../port.ts';
import { fromKurrentDbEvent, ownStreamPrefixes, maxSearchWindow, positionOf } from './event-conversion.ts';

// Reads use grpc-js and the stubs of the driver, like its own appends and subscriptions. The driver's own reads (1.3.1) use its
// Rust bridge, which leaves Nagle's algorithm on: a read after a pause of 10 ms takes 42 to 45 ms, and the first read of each
// client 500 ms. A read over grpc-js takes about 1 ms. Only this file uses non-public parts of the driver.

const { ReadReq: Request } = streams;
const { Options } = Request;
type Options = ReadReq.Options;

/** Non-public members of KurrentDBClient. */
type Internals = {
  execute<T>(service: typeof StreamsClient, name: string, action: (grpc: StreamsClient) => Promise<T>): Promise<T>;
  callArguments(options: { requiresLeader: boolean; deadline: number }): [Metadata, CallOptions];
  getGRPCClient(service: typeof StreamsClient, name: string): Promise<StreamsClient>;
  handleError: (grpc: StreamsClient, error: Error) => Promise<void>;
  readonly capabilities: Promise<{ serverVersion: string }>;
};
const internalsOf = (client: KurrentDBClient): Internals => client as unknown as Internals;

const requestOf = (options: Options, count: number, direction = Options.ReadDirection.FORWARDS): ReadReq => {
  const ids = new Options.UUIDOption();
  ids.setString(new shared.Empty());
  options.setUuidOption(ids);
  options.setReadDirection(direction);
  options.setCount(String(count));
  return new Request().setOptions(options);
};

/** The log also contains streams of the system and of other applications. */
const ownStreamsFilter = (): ReadReq.Options.FilterOptions => {
  const names = new Options.FilterOptions.Expression();
  names.setPrefixList(ownStreamPrefixes);
  const filter = new Options.FilterOptions();
  filter.setStreamIdentifier(names);
  filter.setMax(maxSearchWindow);
  filter.setCheckpointintervalmultiplier(1);
  return filter;
};

const positionOption = (position: number): ReadReq.Options.Position => {
  const option = new Options.Position();
  option.setCommitPosition(String(position));
  option.setPreparePosition(String(position));
  return option;
};

/** At most `count` events of the service's streams from this position on, including the event at the position. */
export const readAllRequest = (position: number, count: number): ReadReq => {
  const all = new Options.AllOptions();
  if (position === 0) all.setStart(new shared.Empty());
  else all.setPosition(positionOption(position));
  const options = new Options();
  options.setAll(all);
  options.setFilter(ownStreamsFilter());
  return requestOf(options, count);
};

/** The newest `count` events of the service's streams, without those from the position `before` on. */
export const readNewestRequest = (count = 1, before?: number): ReadReq => {
  const all = new Options.AllOptions();
  if (before === undefined) all.setEnd(new shared.Empty());
  else all.setPosition(positionOption(before));
  const options = new Options();
  options.setAll(all);
  options.setFilter(ownStreamsFilter());
  return requestOf(options, count, Options.ReadDirection.BACKWARDS);
};

/** At most `limit` events of a stream from a revision on. */
export const readStreamRequest = (stream: string, from: number, limit = Number.MAX_SAFE_INTEGER): ReadReq => {
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from(stream));
  const which = new Options.StreamOptions();
  which.setStreamIdentifier(name);
  which.setRevision(String(from));
  const options = new Options();
  options.setStream(which);
  options.setNoFilter(new shared.Empty());
  return requestOf(options, limit);
};

/**
 * The events of the service that a read found. `count` is the number of all events, those of other applications in the
 * streams included; `end` is the position of the last one.
 */
export type ReadResult = { events: RecordedEvent[]; count: number; end: number };

/** Runs a read. `signal` cancels the call, which also ends after `deadlineMs`. */
export const readEvents = (
  client: KurrentDBClient,
  request: ReadReq,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<ReadResult> =>
  internalsOf(client).execute(rpc.StreamsClient, 'read', async (grpc) => {
    const responses = grpc.read(
      request,
      ...internalsOf(client).callArguments({ requiresLeader: true, deadline: deadlineMs }),
    );
    signal.addEventListener('abort', () => responses.cancel(), { once: true });
    const result: ReadResult = { events: [], count: 0, end: 0 };
    for await (const response of responses as AsyncIterable<ReadResp>) {
      const recorded = response.getEvent()?.getEvent();
      if (!recorded) continue;
      const converted = convert.convertGrpcRecord(recorded) as AllStreamRecordedEvent;
      result.count += 1;
      result.end = positionOf(converted.position.prepare);
      const event = fromKurrentDbEvent(converted);
      if (event) result.events.push(event);
    }
    return result;
  });

/** The version of the server. The driver requests it once and caches it. */
export const readServerVersion = async (client: KurrentDBClient): Promise<string> =>
  (await internalsOf(client).capabilities).serverVersion;

/**
 * Keeps a failed cluster discovery from ending the process. The driver (1.3.1) calls `handleError` for each broken call and
 * does not catch its errors. `handleError` waits for the newest connection, and rejects if no member of the cluster is found.
 * The error can be dropped: the operations that wait for the same connection fail with it, too.
 */
export const catchDiscoveryErrors = (client: KurrentDBClient): KurrentDBClient => {
  const internals = internalsOf(client);
  const { handleError } = internals;
  internals.handleError = (grpc, error) => handleError(grpc, error).catch(() => undefined);
  return client;
};

/** Closes the connection of a client, also one that is being opened: the driver's `dispose` only ends its calls. */
export const closeConnection = (client: KurrentDBClient): void => {
  const closing = internalsOf(client)
    .getGRPCClient(rpc.StreamsClient, 'close')
    .then((grpc) => grpc.close());
  closing.catch(() => undefined);
};
