import { setTimeout as sleep } from 'node:timers/promises';
import { type JsMsg, jetstreamManager } from '@nats-io/jetstream';
import { compare, errors, type NatsConnection, parseSemVer } from '@nats-io/transport-node';
import { runUntilAborted, runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { RemoteEngine } from '#libs/engines/remote.ts';
import { openNatsClient } from '#libs/nats/client.ts';
import { openInstallationId } from './jetstream/installation-id.ts';
import { type DeadLetter, type MessageEnvelope, openJetStreamQueue, type JetStreamQueue } from './jetstream/queue.ts';
import { type Consumer, deduplicationWindowMs, type LeasedMessage, type DurableBus } from './port.ts';

export type { DeadLetter };

export type JetStreamBusOptions = {
  /** What the names of all streams and subjects begin with: letters, digits and hyphens. */
  prefix?: string;
  deduplicationWindowMs?: number;
  /** A message is delivered so often at most. */
  maxDeliveries?: number;
  onDeadLetter?: (letter: DeadLetter) => void;
};

/** The log knows what is to be done; a message that is older than this was published again already. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;
const defaultMaxDeliveries = 1_000;
const minServerVersion = '2.9.3';
const [retryDelayMs, ackTimeoutMs] = [100, 1_000];
/** A caller who asks how much waits is told after this time that the server cannot be reached. */
const countTimeoutMs = 1_000;
const clusterSize = 3;

const checkServer = async (connection: NatsConnection, where: string): Promise<string | null> => {
  const { version } = connection.info!;
  if (compare(parseSemVer(version), parseSemVer(minServerVersion)) < 0)
    return `${where} is version ${version}, and ${minServerVersion} is the oldest that will do`;
  try {
    await (await jetstreamManager(connection, { checkAPI: false })).getAccountInfo();
    return null;
  } catch (error) {
    return `${where} has JetStream not enabled, or not for this user (${error instanceof Error ? error.message : String(error)})`;
  }
};

/** The server cannot tell a lost lease from a held one: the delivery counts its time itself, from when the message came. */
const toLeasedMessage = ({ subject, leaseMs }: Consumer, message: JsMsg): LeasedMessage => {
  const { id, data } = message.json<MessageEnvelope>();
  let until = performance.now() + leaseMs;
  /** Whether the lease is held; it is not from then on. */
  const release = (): boolean => {
    const held = performance.now() < until;
    until = -Infinity;
    return held;
  };
  return {
    id,
    subject,
    data,
    deliveryCount: message.info.deliveryCount,
    ack: async () => {
      const leaseEnd = until;
      if (!release()) return;
      while (performance.now() < leaseEnd && !(await message.ackAck({ timeout: ackTimeoutMs }).catch(() => false)))
        await sleep(retryDelayMs);
    },
    nak: async (delayMs) => {
      if (release()) message.nak(delayMs > 0 ? delayMs : undefined);
    },
    extendLease: async () => {
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
export const openJetStreamBus = (url: string, options: JetStreamBusOptions = {}): DurableBus & RemoteEngine => {
  const { prefix = 'colophon', maxDeliveries = defaultMaxDeliveries, onDeadLetter = () => undefined } = options;
  const link = openNatsClient(url, `${prefix} bus`, { checkServer });
  const queueOptions = {
    deduplicationWindowMs: options.deduplicationWindowMs ?? deduplicationWindowMs,
    maxAgeMs,
    maxDeliveries: maxDeliveries,
    replicas: url.split(',').length >= clusterSize ? clusterSize : 1,
  };
  let refusal: string | null = null;

  const queues = new Map<string, { queue: JetStreamQueue; cleared: NatsConnection | null }>();
  const entryOf = ({ subject, urgent }: Pick<Consumer, 'subject' | 'urgent'>) => {
    const key = `${subject} ${urgent}`;
    const entry = queues.get(key) ?? {
      queue: openJetStreamQueue(prefix, { subject, urgent }, queueOptions),
      cleared: null,
    };
    queues.set(key, entry);
    return entry;
  };

  /** Null where none came for a while, or the server cannot say. A message that comes after `signal` has aborted goes back. */
  const pull = async (consumer: Consumer, signal: AbortSignal): Promise<JsMsg | null> => {
    const connection = await link.waitForConnection();
    const entry = entryOf(consumer);
    // The driver listens again by itself after a lost connection, as long as it is the same object.
    if (entry.cleared !== connection) entry.queue.subscribeToDeadLetters(connection, onDeadLetter);
    entry.cleared = connection;
    const pulling = entry.queue.pull(connection, consumer).catch(() => sleep(retryDelayMs, null));
    const message = await runUntilAborted(signal, () => pulling).catch(() => null);
    if (signal.aborted) void pulling.then((late) => late?.nak());
    return signal.aborted ? null : message;
  };

  const over = new AbortController();
  return {
    publish: async ({ id, subject, data, urgent = false }) => {
      const body = Buffer.from(JSON.stringify({ id, data } satisfies MessageEnvelope));
      for (;;) {
        try {
          await entryOf({ subject, urgent }).queue.publish(await link.waitForConnection(), id, body);
          refusal = null;
          return;
        } catch (error) {
          // Too large for the server: it would be so for ever.
          if (link.isClosed() || error instanceof errors.InvalidArgumentError) throw error;
          if (link.currentConnection()) refusal = error instanceof Error ? error.message : String(error);
          await sleep(retryDelayMs * (1 + Math.random()));
        }
      }
    },
    next: async (consumer, signal) => {
      const until = AbortSignal.any([signal, over.signal]);
      while (!until.aborted) {
        const message = await pull(consumer, until).catch(() => null);
        if (message) return toLeasedMessage(consumer, message);
      }
      return null;
    },
    pending: async (queue) => {
      const connection = await runWithTimeout(countTimeoutMs, () => link.waitForConnection(), {
        createError: () => new Error(link.missing() ?? 'NATS is not connected'),
      });
      return entryOf(queue).queue.count(connection);
    },
    ...openInstallationId(() => link.waitForConnection(), prefix, queueOptions.replicas),
    missing: () =>
      link.missing() ??
      (refusal === null
        ? null
        : `The bus takes no messages: NATS says "${refusal}". Look at the storage and the limits of the server that BUS_URL names.`),
    close: async () => {
      over.abort();
      await link.close();
    },
  };
};
