import { setTimeout as sleep } from 'node:timers/promises';
import { type JsMsg, jetstreamManager } from '@nats-io/jetstream';
import { compare, errors, type NatsConnection, parseSemVer } from '@nats-io/transport-node';
import { untilAborted, withTimeout } from '#libs/concurrency/timeout.ts';
import type { Remote } from '#libs/engines/remote.ts';
import { openNatsLink } from '#libs/nats/link.ts';
import { openMark } from './jetstream/mark.ts';
import { type DeadLetter, type Envelope, openQueue, type Queue } from './jetstream/queue.ts';
import { type Consumer, deduplicationMs, type Delivery, type StoredBus } from './port.ts';

export type { DeadLetter };

export type JetStreamOptions = {
  /** What the names of all streams and subjects begin with: letters, digits and hyphens. */
  prefix?: string;
  deduplicationMs?: number;
  /** A message is delivered so often at most. */
  maxAttempts?: number;
  onDeadLetter?: (letter: DeadLetter) => void;
};

/** The log knows what is to be done; a message that is older than this was published again already. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;
const usualMaxAttempts = 1_000;
const oldestServer = '2.9.3';
const [retryMs, ackMs] = [100, 1_000];
/** A caller who asks how much waits is told after this time that the server cannot be reached. */
const countMs = 1_000;
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

/** The server cannot tell a lost lease from a held one: the delivery counts its time itself, from when the message came. */
const deliveryOf = ({ subject, leaseMs }: Consumer, message: JsMsg): Delivery => {
  const { id, data } = message.json<Envelope>();
  let until = performance.now() + leaseMs;
  /** Whether the lease is held; it is not from then on. */
  const release = (): boolean => {
    const held = performance.now() < until;
    until = -Infinity;
    return held;
  };
  return {
    id, subject, data, attempt: message.info.deliveryCount,
    ack: async () => {
      const leaseEnd = until;
      if (!release()) return;
      while (performance.now() < leaseEnd && !(await message.ackAck({ timeout: ackMs }).catch(() => false))) await sleep(retryMs);
    },
    nak: async (delayMs) => {
      if (release()) message.nak(delayMs > 0 ? delayMs : undefined);
    },
    working: async () => {
      if (performance.now() >= until) return;
      message.working();
      until = performance.now() + leaseMs;
    },
  };
};

/**
 * A queue in NATS JetStream, shared by all processes that name the same server; it opens at once and connects when it can. `url` is as
 * `nats://user:password@host:port`. Publishing goes on until the server has confirmed it or the bus is closed. @throws Error for a URL that names no server
 */
export const openJetStreamBus = (url: string, options: JetStreamOptions = {}): StoredBus & Remote => {
  const { prefix = 'colophon', maxAttempts = usualMaxAttempts, onDeadLetter = () => undefined } = options;
  const link = openNatsLink(url, `${prefix} bus`, { inspect });
  const queueOptions = { deduplicationMs: options.deduplicationMs ?? deduplicationMs, maxAgeMs, maxAttempts, replicas: url.split(',').length >= clusterSize ? clusterSize : 1 };
  let refusal: string | null = null;

  const queues = new Map<string, { queue: Queue; cleared: NatsConnection | null }>();
  const entryOf = ({ subject, urgent }: Pick<Consumer, 'subject' | 'urgent'>) => {
    const key = `${subject} ${urgent}`;
    const entry = queues.get(key) ?? { queue: openQueue(prefix, { subject, urgent }, queueOptions), cleared: null };
    queues.set(key, entry);
    return entry;
  };

  /** Null where none came for a while, or the server cannot say. A message that comes after `signal` has aborted goes back. */
  const pull = async (consumer: Consumer, signal: AbortSignal): Promise<JsMsg | null> => {
    const connection = await link.connected();
    const entry = entryOf(consumer);
    // The driver listens again by itself after a lost connection, as long as it is the same object.
    if (entry.cleared !== connection) entry.queue.clearDeadLetters(connection, onDeadLetter);
    entry.cleared = connection;
    const pulling = entry.queue.pull(connection, consumer).catch(() => sleep(retryMs, null));
    const message = await untilAborted(signal, () => pulling).catch(() => null);
    if (signal.aborted) void pulling.then((late) => late?.nak());
    return signal.aborted ? null : message;
  };

  const over = new AbortController();
  return {
    publish: async ({ id, subject, data, urgent = false }) => {
      const body = Buffer.from(JSON.stringify({ id, data } satisfies Envelope));
      for (;;) {
        try {
          await entryOf({ subject, urgent }).queue.publish(await link.connected(), id, body);
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
    next: async (consumer, signal) => {
      const until = AbortSignal.any([signal, over.signal]);
      while (!until.aborted) {
        const message = await pull(consumer, until).catch(() => null);
        if (message) return deliveryOf(consumer, message);
      }
      return null;
    },
    pending: async (queue) => {
      const connection = await withTimeout(countMs, () => link.connected(), { error: () => new Error(link.missing() ?? 'NATS is not connected') });
      return entryOf(queue).queue.count(connection);
    },
    ...openMark(() => link.connected(), prefix, queueOptions.replicas),
    missing: () => link.missing() ?? (refusal === null ? null : `The bus takes no messages: NATS says "${refusal}". Look at the storage and the limits of the server that BUS_URL names.`),
    close: async () => {
      over.abort();
      await link.close();
    },
  };
};
