import { constants, type ServerHttp2Stream } from 'node:http2';
import { Metadata, type sendUnaryData, Server, ServerCredentials, type ServerReadableStream, status } from '@grpc/grpc-js';
import gossipService from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/gossip_grpc_pb.js';
import featuresService from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_grpc_pb.js';
import type { AppendReq, AppendResp } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import streamsService from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import { appending, batchAppending, type Fate } from './appending.ts';
import { type Cluster, type Endpoint, featuresMessage, isLeader, membersMessage } from './cluster.ts';
import { type Log, openLog } from './log.ts';
import { reading, type Readings } from './reading.ts';

export type Settings = {
  log?: Log;
  port?: number;
  /** PEM texts; without them the server speaks plainly. */
  tls?: { key: string; cert: string };
  /** `user:password`; without it everybody is let in. */
  credentials?: string;
  /** What the server says of itself; null for one from before servers said so. */
  version?: string | null;
  /** How far the server's clock is ahead, in milliseconds. */
  aheadMs?: number;
};

export type StandIn = {
  log: Log;
  endpoint: Endpoint;
  /** Whom the server knows; itself alone, and as the leader, unless told otherwise. */
  join(cluster: Cluster): void;
  /** The next answers to appends that were written get lost: nothing comes, or the connections break instead. */
  lose(count: number, how: 'silently' | 'with the connection'): void;
  /** Ends all connections. New ones are taken. */
  drop(): void;
  /** Leaves questions for the members of the cluster unanswered until they are released, as a server does that is frozen and thaws. */
  holdGossip(): { waiting(): number; release(): void };
  /** New subscriptions are served, hear nothing, or end with RST_STREAM code 0, as calls to a frozen leader do when it thaws. */
  treatSubscriptions(how: 'served' | 'kept waiting' | 'broken'): void;
  /** What was asked for so far. */
  readings: Readonly<Readings>;
  /** Goes without a word. */
  stop(): Promise<void>;
};

type Refusal = { code: status; details: string; metadata?: Metadata };
/** A call with the HTTP/2 stream below it. */
type CallOnStream = { call: { stream: ServerHttp2Stream } };
type AnyCall = { metadata: Metadata; emit(event: string, ...given: unknown[]): boolean };

const bind = (server: Server, port: number, tls: Settings['tls']): Promise<number> => {
  const credentials = tls ? ServerCredentials.createSsl(null, [{ private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) }]) : ServerCredentials.createInsecure();
  return new Promise((resolve, reject) => server.bindAsync(`127.0.0.1:${port}`, credentials, (error, bound) => (error ? reject(error) : resolve(bound))));
};

const notLeader = ({ address, port }: Endpoint): Refusal => {
  const metadata = new Metadata();
  metadata.set('exception', 'not-leader');
  metadata.set('leader-endpoint-host', address);
  metadata.set('leader-endpoint-port', String(port));
  return { code: status.NOT_FOUND, details: 'Leader info available', metadata };
};

/** A stand-in for a KurrentDB server on a port of the loopback interface: the real protocol over a log in memory, and the ways in which a server can fail. */
export const startKurrentDb = async ({ log = openLog(), port = 0, tls, credentials, version = '26.0.2', aheadMs = 0 }: Settings = {}): Promise<StandIn> => {
  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024, 'grpc.enable_channelz': 0 });
  const readings: Readings = { subscribedAfter: [], told: 0, appends: 0, reads: 0, broken: 0, tooSlow: 0, keptWaiting: 0 };
  let heldGossip: (() => void)[] | undefined;
  let treatment: Parameters<StandIn['treatSubscriptions']>[0] = 'served';
  let lost = { count: 0, how: 'silently' as 'silently' | 'with the connection' };
  let cluster: Cluster | undefined;
  let endpoint: Endpoint = { address: '127.0.0.1', port };
  const drop = (): void => server.drain(`127.0.0.1:${endpoint.port}`, 0);

  const fate: Fate = () => {
    readings.appends += 1;
    if (lost.count === 0) return 'sent';
    lost = { ...lost, count: lost.count - 1 };
    if (lost.how === 'with the connection') drop();
    return 'lost';
  };

  const refusalOf = ({ metadata }: AnyCall): Refusal | undefined => {
    if (credentials !== undefined && metadata.get('authorization')[0] !== `Basic ${Buffer.from(credentials).toString('base64')}`) {
      return { code: status.UNAUTHENTICATED, details: 'Unauthenticated' };
    }
    if (cluster && metadata.get('requires-leader')[0] === 'true' && !isLeader(cluster, endpoint)) return notLeader(cluster.leader);
    return undefined;
  };

  /** A handler behind the checks that the server makes of every call. */
  const admitted = <Call extends AnyCall>(handle: (call: Call) => void) => (call: Call): void => {
    const refusal = refusalOf(call);
    if (refusal) call.emit('error', refusal);
    else handle(call);
  };

  const read = reading(log, readings);
  const treat = async (call: Parameters<typeof read>[0]): Promise<void> => {
    if (treatment === 'served' || !call.request.getOptions()!.hasSubscription()) return read(call);
    if (treatment === 'broken') {
      readings.broken += 1;
      (call as unknown as CallOnStream).call.stream.close(constants.NGHTTP2_NO_ERROR);
    } else {
      readings.keptWaiting += 1;
      call.once('cancelled', () => (readings.keptWaiting -= 1));
    }
  };
  const answerGossip = (answer: sendUnaryData<unknown>): void => answer(null, membersMessage(cluster ?? { members: [endpoint], leader: endpoint }));
  const append = appending(log, fate);
  server.addService(streamsService.StreamsService, {
    read: admitted((call: Parameters<typeof read>[0]) => void treat(call).catch(() => call.end())),
    batchAppend: admitted(batchAppending(log, fate, () => Date.now() + aheadMs)),
    append: (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>) => {
      const refusal = refusalOf(call);
      if (refusal) answer(refusal);
      else append(call, answer);
    },
  });
  server.addService(gossipService.GossipService, {
    read: (_call: unknown, answer: sendUnaryData<unknown>) => void (heldGossip ? heldGossip.push(() => answerGossip(answer)) : answerGossip(answer)),
  });
  if (version !== null) {
    server.addService(featuresService.ServerFeaturesService, { getSupportedMethods: (_call: unknown, answer: sendUnaryData<unknown>) => answer(null, featuresMessage(version)) });
  }

  endpoint = { address: '127.0.0.1', port: await bind(server, port, tls) };
  return {
    log,
    endpoint,
    join: (known) => (cluster = known),
    lose: (count, how) => (lost = { count, how }),
    drop,
    holdGossip: () => {
      const held: (() => void)[] = [];
      heldGossip = held;
      return {
        waiting: () => held.length,
        release: () => {
          heldGossip = undefined;
          for (const tell of held) tell();
        },
      };
    },
    treatSubscriptions: (how) => (treatment = how),
    readings,
    stop: async () => server.forceShutdown(),
  };
};
