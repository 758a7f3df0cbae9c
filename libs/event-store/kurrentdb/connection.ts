import { type EventData, KurrentDBClient, NO_STREAM } from '@kurrent/kurrentdb-client';
import rpc from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import type { StreamsClient } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import type { ReadReq, ReadResp } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { CallOptions, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import PQueue from 'p-queue';
import { asDriverError, isDeadEnd, NoAnswer } from './failure.ts';

export type Responses = ClientReadableStream<ReadResp>;

/** What the driver builds its own operations from. It reads through another transport, which sends small packets late: half of its answers are quick, the others take 40 ms. */
type Workshop = {
  execute<T>(service: typeof StreamsClient, name: string, action: (grpc: StreamsClient) => Promise<T>): Promise<T>;
  callArguments(options: { requiresLeader: boolean; deadline?: number }, callOptions?: CallOptions): [Metadata, CallOptions];
  handleError(grpc: StreamsClient, error: Error): Promise<void>;
  getChannel(): Promise<{ close(): void }>;
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

// The driver loses control of its process where a call breaks on which more writes than this are held up.
const appendsAtOnce = 12;

const dispose = async (client: KurrentDBClient): Promise<void> => {
  await client.dispose();
  const channel = await workshopOf(client).getChannel();
  channel.close();
};

/** `attemptMs` is how long an answer is waited for. */
export const openConnection = (url: string, attemptMs: number): Connection => {
  let client = KurrentDBClient.connectionString(url);
  let heardAt = 0;
  const appends = new PQueue({ concurrency: appendsAtOnce });
  const subscriptions = new Set<Responses>();

  const endSubscriptions = (): void => subscriptions.forEach((responses) => responses.cancel());

  const beginAnew = (failed: KurrentDBClient): void => {
    if (failed !== client) return;
    client = KurrentDBClient.connectionString(url);
    endSubscriptions();
    dispose(failed).catch(() => undefined);
  };

  const attempt = async <T>(action: (client: KurrentDBClient) => Promise<T>): Promise<T> => {
    const used = client;
    const begun = performance.now();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new NoAnswer(attemptMs)), attemptMs);
    try {
      const answer = await Promise.race([action(used), late.promise]);
      heardAt = performance.now();
      return answer;
    } catch (thrown) {
      const error = asDriverError(thrown);
      // A server that answers others is slow, not gone.
      if (isDeadEnd(error) && heardAt < begun) beginAnew(used);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    append: (stream, events, expected) =>
      appends.add(() =>
        attempt(async (used) => {
          const answer = await used.appendToStream(stream, events, { streamState: expected < 0 ? NO_STREAM : BigInt(expected), requiresLeader: true, deadline: attemptMs });
          return answer.position?.prepare;
        }),
      ),
    read: (request) =>
      attempt((used) => {
        const workshop = workshopOf(used);
        return workshop.execute(rpc.StreamsClient, 'read', (grpc) => Array.fromAsync<ReadResp>(grpc.read(request, ...workshop.callArguments({ requiresLeader: true, deadline: attemptMs }))));
      }),
    subscribe: (request) =>
      attempt((used) => {
        const workshop = workshopOf(used);
        return workshop.execute(rpc.StreamsClient, 'subscribe', async (grpc) => {
          const responses = grpc.read(request, ...workshop.callArguments({ requiresLeader: true }, { deadline: Infinity }));
          subscriptions.add(responses);
          responses.once('close', () => subscriptions.delete(responses));
          return { responses, failed: (error: Error) => void workshop.handleError(grpc, error) };
        });
      }),
    version: () => attempt(async (used) => (await workshopOf(used).capabilities).serverVersion),
    close: async () => {
      endSubscriptions();
      await dispose(client);
    },
  };
};
