import type { CallOptions, Metadata } from '@grpc/grpc-js';
import type { AllStreamRecordedEvent, KurrentDBClient } from '@kurrent/kurrentdb-client';
import convert from '@kurrent/kurrentdb-client/dist/utils/convertGrpcEvent.js';
import shared from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import rpc from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import type { StreamsClient } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { ReadReq, ReadResp } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { RecordedEvent } from '../port.ts';
import { fromKurrentDbEvent, ownStreamPrefixes, maxSearchWindow } from './event-conversion.ts';

// Reads go over grpc-js and the stubs of the driver, as its own appends and subscriptions do. The driver's own reads (1.3.1) go through
// its Rust bridge, whose connection leaves Nagle's algorithm on: a read that follows a pause of 10 ms takes 42 to 45 ms there, and the
// first one of each client 500 ms, where a read over grpc-js takes about 1 ms. Only this file uses what the driver does not make public.

const { ReadReq: Request } = streams;
const { Options } = Request;
type Options = ReadReq.Options;

/** Parts of KurrentDBClient that its own operations are built from. */
type Internals = {
  execute<T>(service: typeof StreamsClient, name: string, action: (grpc: StreamsClient) => Promise<T>): Promise<T>;
  callArguments(options: { requiresLeader: boolean; deadline: number }): [Metadata, CallOptions];
  getGRPCClient(service: typeof StreamsClient, name: string): Promise<StreamsClient>;
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

/** The system and other applications have streams in the same log. */
const ownStreamsFilter = (): ReadReq.Options.FilterOptions => {
  const names = new Options.FilterOptions.Expression();
  names.setPrefixList(ownStreamPrefixes);
  const filter = new Options.FilterOptions();
  filter.setStreamIdentifier(names);
  filter.setMax(maxSearchWindow);
  filter.setCheckpointintervalmultiplier(1);
  return filter;
};

/** At most `count` events of the service's streams from this position on, the event at the position included. */
export const readAllRequest = (position: number, count: number): ReadReq => {
  const all = new Options.AllOptions();
  if (position === 0) all.setStart(new shared.Empty());
  else {
    const from = new Options.Position();
    from.setCommitPosition(String(position));
    from.setPreparePosition(String(position));
    all.setPosition(from);
  }
  const options = new Options();
  options.setAll(all);
  options.setFilter(ownStreamsFilter());
  return requestOf(options, count);
};

/** The newest event of the service's streams. */
export const readNewestRequest = (): ReadReq => {
  const options = new Options();
  options.setAll(new Options.AllOptions().setEnd(new shared.Empty()));
  options.setFilter(ownStreamsFilter());
  return requestOf(options, 1, Options.ReadDirection.BACKWARDS);
};

/** The events of a stream from a revision on. */
export const readStreamRequest = (stream: string, from: number): ReadReq => {
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from(stream));
  const which = new Options.StreamOptions();
  which.setStreamIdentifier(name);
  which.setRevision(String(from));
  const options = new Options();
  options.setStream(which);
  options.setNoFilter(new shared.Empty());
  return requestOf(options, Number.MAX_SAFE_INTEGER);
};

/** The events of the service that the server answers with. The call is cancelled when `signal` aborts, and ends after `deadlineMs`. */
export const readEvents = (
  client: KurrentDBClient,
  request: ReadReq,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<RecordedEvent[]> =>
  internalsOf(client).execute(rpc.StreamsClient, 'read', async (grpc) => {
    const responses = grpc.read(
      request,
      ...internalsOf(client).callArguments({ requiresLeader: true, deadline: deadlineMs }),
    );
    signal.addEventListener('abort', () => responses.cancel(), { once: true });
    const events: RecordedEvent[] = [];
    for await (const response of responses as AsyncIterable<ReadResp>) {
      const recorded = response.getEvent()?.getEvent();
      const event = recorded && fromKurrentDbEvent(convert.convertGrpcRecord(recorded) as AllStreamRecordedEvent);
      if (event) events.push(event);
    }
    return events;
  });

/** What the server says of its version. The driver asks once and remembers the answer. */
export const readServerVersion = async (client: KurrentDBClient): Promise<string> =>
  (await internalsOf(client).capabilities).serverVersion;

/** Closes the connection of a client, also one that is still being made: `dispose` of the driver ends its calls alone. */
export const closeConnection = (client: KurrentDBClient): void => {
  const closing = internalsOf(client)
    .getGRPCClient(rpc.StreamsClient, 'close')
    .then((grpc) => grpc.close());
  closing.catch(() => undefined);
};
