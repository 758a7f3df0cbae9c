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
  /** The start of all names of streams and subjects: letters, digits and hyphens. */
  prefix?: string;
  deduplicationWindowMs?: number;
  /** After this number of deliveries a message becomes a dead letter. */
  maxDeliveries?: number;
  onDeadLetter?: (letter: DeadLetter) => void;
};

/** The relay has published the work of an older message again from the event log. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;
const defaultMaxDeliveries = 1_000;
const minServerVersion = '2.9.3';
const [retryDelayMs, ackTimeoutMs] = [100, 1_000];
/** `pending` fails after this time when the server cannot be reached. */
const countTimeoutMs = 1_000;
const clusterSize = 3;

const checkServer = async (connection: NatsConnection, where: string): Promise<string | null> => {
  const { version } = connection.info!;
  if (compare(parseSemVer(version), parseSemVer(minServerVersion)) < 0)
    return `${where} has version ${version}; at least ${minServerVersion} is needed`;
  try {
    await (await jetstreamManager(connection, { checkAPI: false })).getAccountInfo();
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `JetStream is not enabled on ${where}, or not for this user (${reason})`;
  }
};

const describePublishError = (error: unknown): string =>
  error instanceof errors.TimeoutError
    ? 'NATS does not respond'
    : `NATS says "${error instanceof Error ? error.message : String(error)}"`;

/** The server does not tell an expired lease from a held one, so the lease is timed here, from the arrival of the message. */
const toLeasedMessage = ({ subject, leaseMs }: Consumer, message: JsMsg): LeasedMessage => {
  const { id, data } = message.json<MessageEnvelope>();
  let leasedUntil = performance.now() + leaseMs;
  /** False when the lease has expired or the message was ended. */
  const releaseLease = (): boolean => {
    const wasHeld = performance.now() < leasedUntil;
    leasedUntil = -Infinity;
    return wasHeld;
  };
  return {
    id,
    subject,
    data,
    deliveryCount: message.info.deliveryCount,
    ack: async () => {
      const leaseEnd = leasedUntil;
      if (!releaseLease()) return;
      while (performance.now() < leaseEnd && !(await message.ackAck({ timeout: ackTimeoutMs }).catch(() => false)))
        await sleep(retryDelayMs);
    },
    nak: async (delayMs) => {
      if (releaseLease()) message.nak(delayMs > 0 ? delayMs : undefined);
    },
    extendLease: async () => {
      if (performance.now() >= leasedUntil) return;
      message.working();
      leasedUntil = performance.now() + leaseMs;
    },
  };
};

/**
 * Queues in NATS JetStream, shared by all processes that use the same server. Opens at once and connects in the
 * background. `url` has the form `nats://user:password@host:port`. `publish` retries until the server has confirmed
 * the message, its signal has aborted, or the bus is closed.
 * @throws AddressError for a URL that names no server
 */
export const openJetStreamBus = (url: string, options: JetStreamBusOptions = {}): DurableBus & RemoteEngine => {
  const { prefix = 'colophon', maxDeliveries = defaultMaxDeliveries, onDeadLetter = () => undefined } = options;
  const client = openNatsClient(url, `${prefix} bus`, { checkServer });
  const queueOptions = {
    deduplicationWindowMs: options.deduplicationWindowMs ?? deduplicationWindowMs,
    maxAgeMs,
    maxDeliveries,
    replicas: url.split(',').length >= clusterSize ? clusterSize : 1,
  };
  let publishError: string | null = null;

  const queues = new Map<string, { queue: JetStreamQueue; deadLettersFrom: NatsConnection | null }>();
  const entryOf = ({ subject, urgent }: Pick<Consumer, 'subject' | 'urgent'>) => {
    const key = `${subject} ${urgent}`;
    const entry = queues.get(key) ?? {
      queue: openJetStreamQueue(prefix, { subject, urgent }, queueOptions),
      deadLettersFrom: null,
    };
    queues.set(key, entry);
    return entry;
  };

  /** Null when no message came for a while, or the pull failed. A message that arrives after an abort is given back. */
  const pull = async (consumer: Consumer, signal: AbortSignal): Promise<JsMsg | null> => {
    const connection = await client.waitForConnection();
    const entry = entryOf(consumer);
    // After a reconnect on the same connection object the driver subscribes again by itself.
    if (entry.deadLettersFrom !== connection) entry.queue.subscribeToDeadLetters(connection, onDeadLetter);
    entry.deadLettersFrom = connection;
    const pulling = entry.queue.pull(connection, consumer).catch(() => sleep(retryDelayMs, null));
    const message = await runUntilAborted(signal, () => pulling).catch(() => null);
    if (signal.aborted) void pulling.then((late) => late?.nak());
    return signal.aborted ? null : message;
  };

  const closing = new AbortController();
  return {
    publish: async ({ id, subject, data, urgent = false }, signal = closing.signal) => {
      const body = Buffer.from(JSON.stringify({ id, data } satisfies MessageEnvelope));
      for (;;) {
        try {
          const connection = await runUntilAborted(signal, () => client.waitForConnection());
          await entryOf({ subject, urgent }).queue.publish(connection, id, body);
          publishError = null;
          return;
        } catch (error) {
          // A message that is too large for the server fails at every attempt.
          if (client.isClosed() || signal.aborted || error instanceof errors.InvalidArgumentError) {
            // If no other publish follows, nothing else would clear it. Another one that fails sets it again.
            publishError = null;
            throw error;
          }
          if (client.currentConnection()) publishError = describePublishError(error);
          await sleep(retryDelayMs * (1 + Math.random()));
        }
      }
    },
    next: async (consumer, signal) => {
      const stopped = AbortSignal.any([signal, closing.signal]);
      while (!stopped.aborted) {
        const message = await pull(consumer, stopped).catch(() => null);
        if (message) return toLeasedMessage(consumer, message);
      }
      return null;
    },
    pending: async (queue) => {
      const connection = await runWithTimeout(countTimeoutMs, () => client.waitForConnection(), {
        createError: () => new Error(client.missing() ?? 'NATS is not connected'),
      });
      return entryOf(queue).queue.count(connection);
    },
    ...openInstallationId(() => client.waitForConnection(), prefix, queueOptions.replicas),
    missing: () =>
      client.missing() ??
      (publishError === null
        ? null
        : `The bus accepts no messages: ${publishError}. Check the storage and the limits of the server in BUS_URL.`),
    close: async () => {
      closing.abort();
      await client.close();
    },
  };
};
