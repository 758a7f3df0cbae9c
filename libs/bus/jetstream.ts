import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { compare, errors, type NatsConnection, parseSemVer } from '@nats-io/transport-node';
import { withTimeout } from '#libs/concurrency/timeout.ts';
import type { Remote } from '#libs/engines/remote.ts';
import { openNatsLink } from '#libs/nats/link.ts';
import type { GivenUp } from './jetstream/given-up.ts';
import type { Envelope } from './jetstream/delivery.ts';
import { type Lane, openLane } from './jetstream/lane.ts';
import { openMark } from './jetstream/mark.ts';
import { type Line, openLine } from './jetstream/line.ts';
import { type Kind, namesOf, tokenOf } from './jetstream/names.ts';
import { type Bus, type Consumer, deduplicationMs, type Message } from './port.ts';

export type { GivenUp };

export type JetStreamOptions = {
  /** What the names of all streams and subjects begin with: letters, digits and hyphens. */
  prefix?: string;
  deduplicationMs?: number;
  /** A message is given out so often at most. */
  maxAttempts?: number;
  /** Told of a message that was given out as often as that and is taken off. */
  onGivenUp?: (message: GivenUp) => void;
};

/** The log knows what is to be done; a message that is older than this has been put back already, or never will be. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;
const usualMaxAttempts = 1_000;
const oldestServer = '2.9.3';
const retryMs = 100;
/** Whoever asks how much waits is told so late at most that the server cannot be reached. */
const patienceMs = 1_000;
const clusterSize = 3;

const inspect = async (connection: NatsConnection, where: string): Promise<string | null> => {
  const { version } = connection.info!;
  if (compare(parseSemVer(version), parseSemVer(oldestServer)) < 0) return `${where} is version ${version}, and ${oldestServer} is the oldest that will do`;
  try {
    await (await jetstreamManager(connection, { checkAPI: false })).getAccountInfo();
    return null;
  } catch (error) {
    return `${where} has JetStream not enabled, or not for this user (${error instanceof Error ? error.message : String(error)})`;
  }
};

/**
 * A queue in NATS JetStream, shared by all processes that name the same server; it opens at once and connects when it can. `url` is as
 * `nats://user:password@host:port`. Publishing goes on until the server has confirmed it or the bus is closed. @throws Error for a URL that names no server
 */
export const openJetStreamBus = (url: string, options: JetStreamOptions = {}): Bus & Remote => {
  const { prefix = 'colophon', maxAttempts = usualMaxAttempts, onGivenUp = () => undefined } = options;
  const link = openNatsLink(url, `${prefix} bus`, { inspect, echo: false });
  const connect = async (): Promise<NatsConnection> => {
    const connection = link.now();
    if (!connection) throw new Error(link.missing() ?? 'NATS is not connected');
    return connection;
  };
  const laneOptions = { deduplicationMs: options.deduplicationMs ?? deduplicationMs, maxAgeMs, maxAttempts, replicas: url.split(',').length >= clusterSize ? clusterSize : 1 };
  let refusal: string | null = null;

  const lanes = new Map<string, Record<Kind, Lane>>();
  const lanesOf = (subject: string): Record<Kind, Lane> => {
    const known = lanes.get(subject);
    if (known) return known;
    const laneOf = (kind: Kind): Lane => openLane({ connect, connected: () => link.connected() }, namesOf(prefix, subject, kind), laneOptions);
    const made = { urgent: laneOf('urgent'), ordinary: laneOf('ordinary') };
    lanes.set(subject, made);
    return made;
  };

  link.onUp((connection) => {
    for (const { urgent, ordinary } of lanes.values()) for (const lane of [urgent, ordinary]) lane.ringAgain(connection);
  });

  const lines = new Map<string, Line>();
  const lineOf = ({ subject, leaseMs }: Consumer): Line => {
    const known = lines.get(subject);
    if (known) return known;
    const line = openLine({ lanes: lanesOf(subject), connection: () => link.now(), leaseMs, onGivenUp });
    lines.set(subject, line);
    link.onUp((connection) => line.begin(connection));
    return line;
  };

  const publishOnce = async ({ id, subject, data, urgent, group = '' }: Message): Promise<void> => {
    await link.connected();
    const body = Buffer.from(JSON.stringify({ id, group, data } satisfies Envelope));
    const kind = urgent ? 'urgent' : 'ordinary';
    const lane = lanesOf(subject)[kind];
    await lane.publish(id, group, body);
    // Only now, so that whoever hears it finds the message. Of one that was there before, those who began since have perhaps not heard.
    const line = lines.get(subject);
    await (line ? line.tell(kind, tokenOf(group)) : lane.ring(tokenOf(group)));
  };

  return {
    publish: async (message) => {
      for (;;) {
        try {
          await publishOnce(message);
          refusal = null;
          return;
        } catch (error) {
          // Too large for the server: it would be so for ever.
          if (link.closed() || error instanceof errors.InvalidArgumentError) throw error;
          if (link.now()) refusal = error instanceof Error ? error.message : String(error);
          await sleep(retryMs * (1 + Math.random()));
        }
      }
    },
    next: async (consumer, signal) => (link.closed() ? null : lineOf(consumer).next(consumer, signal)),
    nextBeside: async (consumer, groups) => (link.closed() ? null : lineOf(consumer).nextBeside(consumer, groups)),
    pending: async ({ subject }, only) => {
      const { urgent, ordinary } = lanesOf(subject);
      await withTimeout(patienceMs, () => link.connected()).catch(() => undefined);
      const counts = await Promise.all([urgent.count(), only ? 0 : ordinary.count()]);
      return counts[0] + counts[1];
    },
    waiting: async ({ subject }, group) => {
      const { urgent, ordinary } = lanesOf(subject);
      const counts = await Promise.all([urgent, ordinary].map((lane) => lane.waiting(tokenOf(group))));
      return { urgent: counts[0]!, ordinary: counts[1]! };
    },
    ...openMark(() => link.connected(), prefix, laneOptions.replicas),
    missing: () => link.missing() ?? (refusal === null ? null : `The bus takes no messages: NATS says "${refusal}". Look at the storage and the limits of the server that BUS_URL names.`),
    close: async () => {
      for (const line of lines.values()) line.close();
      await link.close();
    },
  };
};
