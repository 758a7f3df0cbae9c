import { once } from 'node:events';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import {
  Metadata,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerReadableStream,
  status,
} from '@grpc/grpc-js';
import gossipService from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/gossip_grpc_pb.js';
import featuresService from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_grpc_pb.js';
import type { AppendReq, AppendResp } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import streamsService from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import { freePort } from '../network/free-port.ts';
import { createAppendHandler, createBatchAppendHandler, type ResponseDelivery } from './append-handlers.ts';
import { type Cluster, type Endpoint, featuresMessage, isLeader, membersMessage } from './cluster.ts';
import { type StandInEventLog, openStandInEventLog } from './stand-in-event-log.ts';
import { createReadHandler, type ServerCounters } from './read-handlers.ts';

export type KurrentDbStandInOptions = {
  eventLog?: StandInEventLog;
  port?: number;
  /** PEM texts; without them the server does not use TLS. */
  tls?: { key: string; cert: string };
  /** `user:password`; without it the server accepts all callers. */
  credentials?: string;
  /** The version that the server reports; null for a version that reports none. */
  version?: string | null;
  /** How far the server's clock is ahead, in milliseconds. */
  clockAheadMs?: number;
};

export type KurrentDbStandIn = {
  eventLog: StandInEventLog;
  endpoint: Endpoint;
  /** Sets the members that the server knows. Initially it is the only one and the leader. */
  setCluster(cluster: Cluster): void;
  /** Loses the next responses to appends: sends nothing, or closes the connections. */
  loseAppendResponses(count: number, how: 'silently' | 'with the connection'): void;
  /** Closes all connections. Accepts new ones. */
  dropConnections(): void;
  /** Delays responses to gossip requests until `release`, like a server that is suspended and resumed. */
  holdGossip(): { waiting(): number; release(): void };
  /** New subscriptions are served, get no response, or end with RST_STREAM code 0, like calls to a leader that was suspended. */
  setSubscriptionMode(how: 'served' | 'kept waiting' | 'broken'): void;
  /** Counts of requests so far. */
  counters: Readonly<ServerCounters>;
  /** Stops like a killed server: closes its connections without ending the calls. */
  stop(): Promise<void>;
};

type GrpcError = { code: status; details: string; metadata?: Metadata };
/** The HTTP/2 stream of a call. */
type CallOnStream = { call: { stream: ServerHttp2Stream } };
type AnyCall = { metadata: Metadata; emit(event: string, ...given: unknown[]): boolean };

/** Listens with sockets of its own: those of a stopped grpc-js server stay open, while the ones of a killed server close. */
const listen = async (server: Server, port: number, tls: KurrentDbStandInOptions['tls']) => {
  const credentials = tls
    ? ServerCredentials.createSsl(null, [{ private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) }])
    : ServerCredentials.createInsecure();
  const connections = server.createConnectionInjector(credentials);
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    connections.injectConnection(socket);
  }).listen(port, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    drop: () => connections.drain(0),
    stop: async (): Promise<void> => {
      listener.close();
      for (const socket of sockets) socket.destroy();
      server.forceShutdown();
    },
  };
};

const notLeaderError = ({ address, port }: Endpoint): GrpcError => {
  const metadata = new Metadata();
  metadata.set('exception', 'not-leader');
  metadata.set('leader-endpoint-host', address);
  metadata.set('leader-endpoint-port', String(port));
  return { code: status.NOT_FOUND, details: 'Leader info available', metadata };
};

/** A stand-in for a KurrentDB server on the loopback interface: the real protocol, an event log in memory, and controllable failures. */
export const startKurrentDbStandIn = async ({
  eventLog = openStandInEventLog(),
  port = 0,
  tls,
  credentials,
  version = '26.0.2',
  clockAheadMs = 0,
}: KurrentDbStandInOptions = {}): Promise<KurrentDbStandIn> => {
  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024, 'grpc.enable_channelz': 0 });
  const counters: ServerCounters = {
    subscribedAfter: [],
    eventsSent: 0,
    appends: 0,
    reads: 0,
    brokenSubscriptions: 0,
    tooSlowSubscriptions: 0,
    waitingSubscriptions: 0,
  };
  let heldGossip: (() => void)[] | undefined;
  let subscriptionMode: Parameters<KurrentDbStandIn['setSubscriptionMode']>[0] = 'served';
  let lost = { count: 0, how: 'silently' as 'silently' | 'with the connection' };
  let cluster: Cluster | undefined;
  let endpoint: Endpoint = { address: '127.0.0.1', port };

  const deliverResponse: ResponseDelivery = () => {
    counters.appends += 1;
    if (lost.count === 0) return 'sent';
    lost = { ...lost, count: lost.count - 1 };
    if (lost.how === 'with the connection') listening.drop();
    return 'lost';
  };

  const rejectionOf = ({ metadata }: AnyCall): GrpcError | undefined => {
    if (
      credentials !== undefined &&
      metadata.get('authorization')[0] !== `Basic ${Buffer.from(credentials).toString('base64')}`
    ) {
      return { code: status.UNAUTHENTICATED, details: 'Unauthenticated' };
    }
    if (cluster && metadata.get('requires-leader')[0] === 'true' && !isLeader(cluster, endpoint))
      return notLeaderError(cluster.leader);
    return undefined;
  };

  /** A handler with the checks that the server makes for every call. */
  const withChecks =
    <Call extends AnyCall>(handle: (call: Call) => void) =>
    (call: Call): void => {
      const rejection = rejectionOf(call);
      if (rejection) call.emit('error', rejection);
      else handle(call);
    };

  const read = createReadHandler(eventLog, counters);
  const handleRead = async (call: Parameters<typeof read>[0]): Promise<void> => {
    if (subscriptionMode === 'served' || !call.request.getOptions()!.hasSubscription()) return read(call);
    if (subscriptionMode === 'broken') {
      counters.brokenSubscriptions += 1;
      (call as unknown as CallOnStream).call.stream.close(constants.NGHTTP2_NO_ERROR);
    } else {
      counters.waitingSubscriptions += 1;
      call.once('cancelled', () => (counters.waitingSubscriptions -= 1));
    }
  };
  const answerGossip = (answer: sendUnaryData<unknown>): void =>
    answer(null, membersMessage(cluster ?? { members: [endpoint], leader: endpoint }));
  const append = createAppendHandler(eventLog, deliverResponse);
  server.addService(streamsService.StreamsService, {
    read: withChecks((call: Parameters<typeof read>[0]) => void handleRead(call).catch(() => call.end())),
    batchAppend: withChecks(createBatchAppendHandler(eventLog, deliverResponse, () => Date.now() + clockAheadMs)),
    append: (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>) => {
      const rejection = rejectionOf(call);
      if (rejection) answer(rejection);
      else append(call, answer);
    },
  });
  server.addService(gossipService.GossipService, {
    read: (_call: unknown, answer: sendUnaryData<unknown>) =>
      void (heldGossip ? heldGossip.push(() => answerGossip(answer)) : answerGossip(answer)),
  });
  if (version !== null) {
    server.addService(featuresService.ServerFeaturesService, {
      getSupportedMethods: (_call: unknown, answer: sendUnaryData<unknown>) => answer(null, featuresMessage(version)),
    });
  }

  const listening = await listen(server, port || (await freePort()), tls);
  endpoint = { address: '127.0.0.1', port: listening.port };
  return {
    eventLog,
    endpoint,
    setCluster: (known) => (cluster = known),
    loseAppendResponses: (count, how) => (lost = { count, how }),
    dropConnections: listening.drop,
    holdGossip: () => {
      const held: (() => void)[] = [];
      heldGossip = held;
      return {
        waiting: () => held.length,
        release: () => {
          heldGossip = undefined;
          for (const respond of held) respond();
        },
      };
    },
    setSubscriptionMode: (how) => (subscriptionMode = how),
    counters,
    stop: listening.stop,
  };
};
