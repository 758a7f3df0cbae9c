import { type EventData, KurrentDBClient, NO_STREAM } from '@kurrent/kurrentdb-client';
import rpc from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import type { StreamsClient } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import type { ReadReq, ReadResp } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { CallOptions, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import PQueue from 'p-queue';
import { withTimeout } from '#libs/concurrency/with-timeout.ts';
import { AddressError } from '#libs/engines/remote.ts';
import { asDriverError, isDeadEnd, NoAnswer } from './failure.ts';

export type Responses = ClientReadableStream<ReadResp>;

/** What the driver builds its own operations from. It reads through another transport, which sends small packets late: half of its answers are quick, the others take 40 ms. */
type Workshop = {
  execute<T>(service: typeof StreamsClient, name: string, action: (grpc: StreamsClient) => Promise<T>): Promise<T>;
  callArguments(options: { requiresLeader: boolean; deadline?: number }, callOptions?: CallOptions): [Metadata, CallOptions];
  handleError: (grpc: StreamsClient, error: Error) => Promise<void>;
  createChannel: () => Promise<{ close(): void }>;
  readonly capabilities: Promise<{ serverVersion: string }>;
};

const workshopOf = (client: KurrentDBClient): Workshop => client as unknown as Workshop;

/** One way to the server after the other: each attempt is made once, and fails with an error of the driver's kinds or NoAnswer. */
export type Connection = {
  append(stream: string, events: EventData[], expected: number): Promise<bigint | undefined>;
  read(request: ReadReq): Promise<ReadResp[]>;
  /** The answers to a subscription, for as long as the connection holds; whoever took them reports how they ended. */
  subscribe(request: ReadReq): Promise<{ responses: Responses; failed: (error: Error) => void }>;
  version(): Promise<string>;
  close(): Promise<void>;
};

// Where the call that carries the appends breaks while sixteen or more of them wait to be written, the driver rejects promises that nobody can catch, which ends the process.
const appendsAtOnce = 12;
// The server is told until what time of day an append may take, by our clock, and refuses one whose time is over by its own: the limit of the attempt is kept here, and clocks may differ by a day.
const appendDeadlineMs = 24 * 60 * 60 * 1000;
const always = (): boolean => true;

/** A client, its newest channel, and whether it was given up. */
type Way = { client: KurrentDBClient; channel?: { close(): void }; isEnded: boolean };

/** The driver reads the files that the address names. What it says of them holds neither their names nor the setting. */
const clientOf = (url: string): KurrentDBClient => {
  try {
    return KurrentDBClient.connectionString(url);
  } catch (error) {
    throw new AddressError(`EVENT_STORE_URL cannot be used: ${(error as Error).message} Look at tlsCAFile, userCertFile and userKeyFile in it.`, { cause: error });
  }
};

/** A client whose search for another member of a cluster may fail unheard: the operations that wait for its end are told anyway, and nobody could catch it. */
const begin = (url: string): Way => {
  const way: Way = { client: clientOf(url), isEnded: false };
  const workshop = workshopOf(way.client);
  const { handleError, createChannel } = workshop;
  workshop.handleError = (grpc, error) => handleError(grpc, error).catch(() => undefined);
  workshop.createChannel = async () => {
    const channel = await createChannel();
    way.channel = channel;
    // The search for a member of the cluster may take longer than the client is used. On a closed channel no call begins.
    if (way.isEnded) channel.close();
    return channel;
  };
  return way;
};

const end = async (way: Way): Promise<void> => {
  way.isEnded = true;
  await way.client.dispose();
  way.channel?.close();
};

/** Cancels the call at the limit of its attempt. Its errors have a listener from the beginning: a cancelled call can still fail, and an error without a listener ends the process. */
const cancelledBy = (signal: AbortSignal, responses: Responses): Responses => {
  const cancel = (): void => responses.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return responses.on('error', () => undefined).once('status', () => signal.removeEventListener('abort', cancel));
};

/** `attemptMs` is how long an answer is waited for. */
export const openConnection = (url: string, attemptMs: number): Connection => {
  let way = begin(url);
  let heardAt = 0;
  let isClosed = false;
  const appends = new PQueue({ concurrency: appendsAtOnce });
  const subscriptions = new Set<Responses>();

  const endSubscriptions = (): void => subscriptions.forEach((responses) => responses.cancel());

  const beginAnew = (failed: Way): void => {
    if (failed !== way || isClosed) return;
    way = begin(url);
    endSubscriptions();
    end(failed).catch(() => undefined);
  };

  const heard = <T>(answer: T): T => {
    heardAt = performance.now();
    return answer;
  };

  // A server that answers others is slow, not gone.
  const nothingHeardSince = (begun: number): boolean => heardAt < begun;

  const attempt = async <T>(action: (used: Way, signal: AbortSignal) => Promise<T>, isGone = nothingHeardSince): Promise<T> => {
    const used = way;
    const begun = performance.now();
    try {
      return await withTimeout(attemptMs, () => new NoAnswer(attemptMs), (signal) => action(used, signal));
    } catch (thrown) {
      const error = asDriverError(thrown);
      if (isDeadEnd(error) && isGone(begun)) beginAnew(used);
      throw error;
    }
  };

  /** The client may find its way only after the limit; then the call is not made. */
  const onStreams = <T>(name: string, action: (grpc: StreamsClient, workshop: Workshop, signal: AbortSignal) => Promise<T>): Promise<T> =>
    attempt(({ client }, signal) => {
      const workshop = workshopOf(client);
      return workshop.execute(rpc.StreamsClient, name, (grpc) => {
        signal.throwIfAborted();
        return action(grpc, workshop, signal);
      });
    });

  return {
    append: (stream, events, expected) =>
      appends.add(() =>
        attempt(async ({ client }) => {
          const answer = await client.appendToStream(stream, events, { streamState: expected < 0 ? NO_STREAM : BigInt(expected), requiresLeader: true, deadline: appendDeadlineMs });
          return heard(answer.position?.prepare);
          // An append that was given up still waits on that call, beside those to come.
        }, always),
      ),
    read: (request) =>
      onStreams('read', async (grpc, workshop, signal) => {
        const responses = grpc.read(request, ...workshop.callArguments({ requiresLeader: true, deadline: 2 * attemptMs }));
        return heard(await Array.fromAsync<ReadResp>(cancelledBy(signal, responses)));
      }),
    subscribe: (request) =>
      onStreams('subscribe', async (grpc, workshop, signal) => {
        const responses = cancelledBy(signal, grpc.read(request, ...workshop.callArguments({ requiresLeader: true }, { deadline: Infinity })));
        subscriptions.add(responses);
        // A stream that was not read to its end never closes.
        responses.once('status', () => subscriptions.delete(responses));
        return { responses, failed: (error: Error) => void workshop.handleError(grpc, error) };
      }),
    // The driver asks once and remembers, so that an answer says nothing of how the server is now.
    version: () => attempt(async ({ client }) => (await workshopOf(client).capabilities).serverVersion),
    close: async () => {
      isClosed = true;
      endSubscriptions();
      await end(way);
    },
  };
};
