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

/** A message that was never ended and has reached its maximum of deliveries. */
export type DeadLetter = { id: string; stream: string; deliveryCount: number };

export type QueueOptions = { deduplicationWindowMs: number; maxAgeMs: number; maxDeliveries: number; replicas: number };

/** A queue on a server: a stream with one durable consumer. Both are created at first use, and again after they were deleted. */
export type JetStreamQueue = {
  publish(connection: NatsConnection, id: string, body: Uint8Array): Promise<void>;
  /** The next message; null when none came for a while. Simultaneous calls get different messages. */
  pull(connection: NatsConnection, consumer: Consumer): Promise<JsMsg | null>;
  count(connection: NatsConnection): Promise<number>;
  /**
   * Deletes dead letters from the stream and reports each to one of the processes. A dead letter left in the stream
   * would prevent another publication with its id.
   */
  subscribeToDeadLetters(connection: NatsConnection, onDeadLetter: (letter: DeadLetter) => void): void;
};

export type MessageEnvelope = { id: string; data: unknown };

const requestTimeoutMs = 2_000;
/** How long a pull waits on the server. A pull that was lost with its connection delays messages for at most this time. */
const pullExpiryMs = 5_000;
/** The server's lease is longer than ours by this margin, so that an ack at the end of our lease is not too late. */
const leaseMarginMs = 200;
const messageExistsCode = 10_077;
const streamExistsCode = 10_058;
const consumerExistsCodes = new Set<number | undefined>([10_013, 10_105, 10_148]);

const plainToken = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Any text as one token of a subject. Tokens must not contain dots, stars or spaces. */
const toSubjectToken = (text: string): string =>
  plainToken.test(text) ? text : `_${createHash('sha256').update(text).digest('base64url')}`;

const errorCodeOf = (error: unknown): number | undefined =>
  error instanceof JetStreamApiError ? error.code : undefined;
const isNotFound = (error: unknown): boolean => {
  const code = errorCodeOf(error);
  // The driver reports a publication without a stream as "jetstream is not enabled", caused by a no-responders error.
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
  const manager =
    managers.get(connection) ?? jetstreamManager(connection, { checkAPI: false, timeout: requestTimeoutMs });
  managers.set(connection, manager);
  return manager;
};

/** `prefix` is the start of all names. */
export const openJetStreamQueue = (
  prefix: string,
  { subject, urgent }: Pick<Consumer, 'subject' | 'urgent'>,
  options: QueueOptions,
): JetStreamQueue => {
  const [work, kind] = [subject.split('.').map(toSubjectToken).join('_'), urgent ? 'urgent' : 'ordinary'];
  const [stream, root] = [`${prefix}-${work}-${kind}`, `${prefix}.${kind}.${work}`];
  let pulling: { connection: NatsConnection; consumer: Promise<PullConsumer> } | null = null;

  const createStream = async (connection: NatsConnection): Promise<void> => {
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
        // One message per id as long as it is stored, which may be longer than the de-duplication window.
        max_msgs_per_subject: 1,
        discard: DiscardPolicy.New,
        discard_new_per_subject: true,
      });
    } catch (error) {
      // An operator may have created the stream with other settings.
      if (errorCodeOf(error) !== streamExistsCode) throw error;
    }
  };

  /** Creates the stream when it is missing, and tries again. */
  const withStream = async <T>(connection: NatsConnection, act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await createStream(connection);
      return act();
    }
  };

  const createConsumer = async (connection: NatsConnection, { name, leaseMs }: Consumer): Promise<PullConsumer> => {
    const { consumers } = await managerOf(connection);
    const lease = { ack_wait: nanos(leaseMs + leaseMarginMs), max_deliver: options.maxDeliveries };
    const add = () =>
      consumers.add(stream, { durable_name: name, ack_policy: AckPolicy.Explicit, max_ack_pending: -1, ...lease });
    await withStream(connection, add).catch((error: unknown) => {
      // An earlier version created the consumer with other times.
      if (consumerExistsCodes.has(errorCodeOf(error))) return consumers.update(stream, name, lease);
      throw error;
    });
    return jetstream(connection, { timeout: requestTimeoutMs }).consumers.get(stream, name);
  };

  const consumerOn = (connection: NatsConnection, consumer: Consumer): Promise<PullConsumer> => {
    if (pulling?.connection === connection) return pulling.consumer;
    const created = { connection, consumer: createConsumer(connection, consumer) };
    created.consumer.catch(() => pulling === created && (pulling = null));
    pulling = created;
    return created.consumer;
  };

  const deleteMessage = async (connection: NatsConnection, sequence: number): Promise<MessageEnvelope | null> => {
    const { streams } = await managerOf(connection);
    const message = await streams.getMessage(stream, { seq: sequence });
    return message && (await streams.deleteMessage(stream, sequence)) ? message.json<MessageEnvelope>() : null;
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
      const pullConsumer = await consumerOn(connection, consumer);
      try {
        return await pullConsumer.next({ expires: pullExpiryMs });
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
    subscribeToDeadLetters: (connection, onDeadLetter) => {
      const remove = async (sequence: number, deliveryCount: number): Promise<void> => {
        const envelope = await deleteMessage(connection, sequence);
        if (envelope) onDeadLetter({ id: envelope.id, stream, deliveryCount });
      };
      connection.subscribe(`$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${stream}.*`, {
        queue: stream,
        callback: (error, message) => {
          if (error) return;
          const { stream_seq: sequence, deliveries } = message.json<{ stream_seq: number; deliveries: number }>();
          void remove(sequence, deliveries).catch(() => undefined);
        },
      });
    },
  };
};
