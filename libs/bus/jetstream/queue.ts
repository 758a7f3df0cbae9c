import { createHash } from 'node:crypto';
import {
  AckPolicy,
  type Consumer as PullConsumer,
  DiscardPolicy,
  jetstream,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type JsMsg,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { isNoRespondersError } from '#libs/nats/no-responders.ts';
import type { Consumer } from '../port.ts';

/** A message that was delivered as often as it may be and never done. */
export type DeadLetter = { id: string; stream: string; deliveryCount: number };

export type QueueOptions = { deduplicationWindowMs: number; maxAgeMs: number; maxDeliveries: number; replicas: number };

/** One queue of a subject on a server: a stream with one durable consumer. Both are made when they are first needed, and again where they are gone. */
export type JetStreamQueue = {
  publish(connection: NatsConnection, id: string, body: Uint8Array): Promise<void>;
  /** The next message; null where none came for a while. Two in this process who ask at the same time get two messages. */
  pull(connection: NatsConnection, consumer: Consumer): Promise<JsMsg | null>;
  count(connection: NatsConnection): Promise<number>;
  /** Takes off what the server delivers no more, once among all processes, and tells of it: left in the stream it would keep its id from being published again. */
  subscribeToDeadLetters(connection: NatsConnection, told: (letter: DeadLetter) => void): void;
};

export type MessageEnvelope = { id: string; data: unknown };

const requestTimeoutMs = 2_000;
/** How long a pull stays with the server. One that was lost with a connection is missed for no longer. */
const pullExpiryMs = 5_000;
/** The server's lease is by so much longer than ours: what is said at the end of ours must not come too late. */
const leaseMarginMs = 200;
const messageExistsCode = 10_077;
const streamExistsCode = 10_058;
const consumerExistsCodes = new Set<number | undefined>([10_013, 10_105, 10_148]);

const plainToken = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Any text as one token of a subject, which no dot, star or space may be in. */
const toSubjectToken = (text: string): string =>
  plainToken.test(text) ? text : `_${createHash('sha256').update(text).digest('base64url')}`;

const errorCodeOf = (error: unknown): number | undefined =>
  error instanceof JetStreamApiError ? error.code : undefined;
const isNotFound = (error: unknown): boolean => {
  const code = errorCodeOf(error);
  // A publication that no stream takes is told as "jetstream is not enabled", by the cause that nobody responds.
  const cause = error instanceof Error ? error.cause : undefined;
  return (
    isNoRespondersError(error) ||
    isNoRespondersError(cause) ||
    code === JetStreamApiCodes.StreamNotFound ||
    code === JetStreamApiCodes.ConsumerNotFound
  );
};

const managers = new WeakMap<NatsConnection, Promise<JetStreamManager>>();
const managerOf = (connection: NatsConnection): Promise<JetStreamManager> => {
  const known =
    managers.get(connection) ?? jetstreamManager(connection, { checkAPI: false, timeout: requestTimeoutMs });
  managers.set(connection, known);
  return known;
};

/** `prefix` begins all names. */
export const openJetStreamQueue = (
  prefix: string,
  { subject, urgent }: Pick<Consumer, 'subject' | 'urgent'>,
  options: QueueOptions,
): JetStreamQueue => {
  const [work, kind] = [subject.split('.').map(toSubjectToken).join('_'), urgent ? 'urgent' : 'ordinary'];
  const [stream, root] = [`${prefix}-${work}-${kind}`, `${prefix}.${kind}.${work}`];
  let pulling: { connection: NatsConnection; consumer: Promise<PullConsumer> } | null = null;

  const makeStream = async (connection: NatsConnection): Promise<void> => {
    const { streams } = await managerOf(connection);
    try {
      await streams.add({
        name: stream,
        subjects: [`${root}.*`],
        retention: RetentionPolicy.Workqueue,
        storage: StorageType.File,
        num_replicas: options.replicas,
        max_age: nanos(options.maxAgeMs),
        duplicate_window: nanos(options.deduplicationWindowMs),
        // One message under one id for as long as it is there, which may be longer than any window.
        max_msgs_per_subject: 1,
        discard: DiscardPolicy.New,
        discard_new_per_subject: true,
      });
    } catch (error) {
      // An operator may have made it, with settings of their own.
      if (errorCodeOf(error) !== streamExistsCode) throw error;
    }
  };

  /** Makes the stream where it is missing, and tries again. */
  const withStream = async <T>(connection: NatsConnection, act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await makeStream(connection);
      return act();
    }
  };

  const makeConsumer = async (connection: NatsConnection, { name, leaseMs }: Consumer): Promise<PullConsumer> => {
    const { consumers } = await managerOf(connection);
    const lease = { ack_wait: nanos(leaseMs + leaseMarginMs), max_deliver: options.maxDeliveries };
    const add = () =>
      consumers.add(stream, { durable_name: name, ack_policy: AckPolicy.Explicit, max_ack_pending: -1, ...lease });
    await withStream(connection, add).catch((error: unknown) => {
      // Made by an earlier version, with other times.
      if (consumerExistsCodes.has(errorCodeOf(error))) return consumers.update(stream, name, lease);
      throw error;
    });
    return jetstream(connection, { timeout: requestTimeoutMs }).consumers.get(stream, name);
  };

  const consumerOn = (connection: NatsConnection, consumer: Consumer): Promise<PullConsumer> => {
    if (pulling?.connection === connection) return pulling.consumer;
    const mine = { connection, consumer: makeConsumer(connection, consumer) };
    mine.consumer.catch(() => pulling === mine && (pulling = null));
    pulling = mine;
    return mine.consumer;
  };

  const drop = async (connection: NatsConnection, sequence: number): Promise<MessageEnvelope | null> => {
    const { streams } = await managerOf(connection);
    const found = await streams.getMessage(stream, { seq: sequence });
    return found && (await streams.deleteMessage(stream, sequence)) ? found.json<MessageEnvelope>() : null;
  };

  return {
    publish: async (connection, id, body) => {
      const token = toSubjectToken(id);
      const publish = () =>
        jetstream(connection, { timeout: requestTimeoutMs }).publish(`${root}.${token}`, body, {
          msgID: token,
          timeout: requestTimeoutMs,
        });
      await withStream(connection, publish).catch((error: unknown) => {
        if (errorCodeOf(error) !== messageExistsCode) throw error;
      });
    },
    pull: async (connection, consumer) => {
      const pulled = await consumerOn(connection, consumer);
      try {
        return await pulled.next({ expires: pullExpiryMs });
      } catch (error) {
        pulling = null;
        throw error;
      }
    },
    count: async (connection) => {
      try {
        return (await (await managerOf(connection)).streams.info(stream)).state.messages;
      } catch (error) {
        if (isNotFound(error)) return 0;
        throw error;
      }
    },
    subscribeToDeadLetters: (connection, told) => {
      const clear = async (sequence: number, attempts: number): Promise<void> => {
        const envelope = await drop(connection, sequence);
        if (envelope) told({ id: envelope.id, stream, deliveryCount: attempts });
      };
      connection.subscribe(`$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${stream}.*`, {
        queue: stream,
        callback: (error, message) => {
          if (error) return;
          const { stream_seq: sequence, deliveries } = message.json<{ stream_seq: number; deliveries: number }>();
          void clear(sequence, deliveries).catch(() => undefined);
        },
      });
    },
  };
};
