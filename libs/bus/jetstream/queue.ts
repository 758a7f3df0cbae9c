import { createHash } from 'node:crypto';
import {
  AckPolicy, type Consumer as PullConsumer, DiscardPolicy, jetstream, JetStreamApiCodes, JetStreamApiError, type JetStreamManager, jetstreamManager, type JsMsg, RetentionPolicy, StorageType,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { isWithoutResponder } from '#libs/nats/responders.ts';
import type { Consumer } from '../port.ts';

/** A message that was delivered as often as it may be and never done. */
export type DeadLetter = { id: string; stream: string; attempts: number };

export type QueueOptions = { deduplicationMs: number; maxAgeMs: number; maxAttempts: number; replicas: number };

/** One queue of a subject on a server: a stream with one durable consumer. Both are made when they are first needed, and again where they are gone. */
export type Queue = {
  publish(connection: NatsConnection, id: string, body: Uint8Array): Promise<void>;
  /** The next message; null where none came for a while. Two in this process who ask at the same time get two messages. */
  pull(connection: NatsConnection, consumer: Consumer): Promise<JsMsg | null>;
  count(connection: NatsConnection): Promise<number>;
  /** Takes off what the server delivers no more, once among all processes, and tells of it: left in the stream it would keep its id from being published again. */
  clearDeadLetters(connection: NatsConnection, told: (letter: DeadLetter) => void): void;
};

export type Envelope = { id: string; data: unknown };

const answerMs = 2_000;
/** How long a pull stays with the server. One that was lost with a connection is missed for no longer. */
const pullMs = 5_000;
/** The server's lease is by so much longer than ours: what is said at the end of ours must not come too late. */
const leaseMarginMs = 200;
const waitsAlready = 10_077;
const existsOtherwise = 10_058;
const consumerExists = new Set<number | undefined>([10_013, 10_105, 10_148]);

const plain = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Any text as one token of a subject, which no dot, star or space may be in. */
const tokenOf = (text: string): string => (plain.test(text) ? text : `_${createHash('sha256').update(text).digest('base64url')}`);

const codeOf = (error: unknown): number | undefined => (error instanceof JetStreamApiError ? error.code : undefined);
const isMissing = (error: unknown): boolean => {
  const code = codeOf(error);
  // A publication that no stream takes is told as "jetstream is not enabled", by the cause that nobody responds.
  const cause = error instanceof Error ? error.cause : undefined;
  return isWithoutResponder(error) || isWithoutResponder(cause) || code === JetStreamApiCodes.StreamNotFound || code === JetStreamApiCodes.ConsumerNotFound;
};

const managers = new WeakMap<NatsConnection, Promise<JetStreamManager>>();
const managerOf = (connection: NatsConnection): Promise<JetStreamManager> => {
  const known = managers.get(connection) ?? jetstreamManager(connection, { checkAPI: false, timeout: answerMs });
  managers.set(connection, known);
  return known;
};

/** `prefix` begins all names. */
export const openQueue = (prefix: string, { subject, urgent }: Pick<Consumer, 'subject' | 'urgent'>, options: QueueOptions): Queue => {
  const [work, kind] = [subject.split('.').map(tokenOf).join('_'), urgent ? 'urgent' : 'ordinary'];
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
        duplicate_window: nanos(options.deduplicationMs),
        // One message under one id for as long as it is there, which may be longer than any window.
        max_msgs_per_subject: 1,
        discard: DiscardPolicy.New,
        discard_new_per_subject: true,
      });
    } catch (error) {
      // An operator may have made it, with settings of their own.
      if (codeOf(error) !== existsOtherwise) throw error;
    }
  };

  /** Makes the stream where it is missing, and tries again. */
  const withStream = async <T>(connection: NatsConnection, act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      if (!isMissing(error)) throw error;
      await makeStream(connection);
      return act();
    }
  };

  const makeConsumer = async (connection: NatsConnection, { name, leaseMs }: Consumer): Promise<PullConsumer> => {
    const { consumers } = await managerOf(connection);
    const lease = { ack_wait: nanos(leaseMs + leaseMarginMs), max_deliver: options.maxAttempts };
    const add = () => consumers.add(stream, { durable_name: name, ack_policy: AckPolicy.Explicit, max_ack_pending: -1, ...lease });
    await withStream(connection, add).catch((error: unknown) => {
      // Made by an earlier version, with other times.
      if (consumerExists.has(codeOf(error))) return consumers.update(stream, name, lease);
      throw error;
    });
    return jetstream(connection, { timeout: answerMs }).consumers.get(stream, name);
  };

  const consumerOn = (connection: NatsConnection, consumer: Consumer): Promise<PullConsumer> => {
    if (pulling?.connection === connection) return pulling.consumer;
    const mine = { connection, consumer: makeConsumer(connection, consumer) };
    mine.consumer.catch(() => pulling === mine && (pulling = null));
    pulling = mine;
    return mine.consumer;
  };

  const drop = async (connection: NatsConnection, sequence: number): Promise<Envelope | null> => {
    const { streams } = await managerOf(connection);
    const found = await streams.getMessage(stream, { seq: sequence });
    return found && (await streams.deleteMessage(stream, sequence)) ? found.json<Envelope>() : null;
  };

  return {
    publish: async (connection, id, body) => {
      const token = tokenOf(id);
      const publish = () => jetstream(connection, { timeout: answerMs }).publish(`${root}.${token}`, body, { msgID: token, timeout: answerMs });
      await withStream(connection, publish).catch((error: unknown) => {
        if (codeOf(error) !== waitsAlready) throw error;
      });
    },
    pull: async (connection, consumer) => {
      const pulled = await consumerOn(connection, consumer);
      try {
        return await pulled.next({ expires: pullMs });
      } catch (error) {
        pulling = null;
        throw error;
      }
    },
    count: async (connection) => {
      try {
        return (await (await managerOf(connection)).streams.info(stream)).state.messages;
      } catch (error) {
        if (isMissing(error)) return 0;
        throw error;
      }
    },
    clearDeadLetters: (connection, told) => {
      const clear = async (sequence: number, attempts: number): Promise<void> => {
        const envelope = await drop(connection, sequence);
        if (envelope) told({ id: envelope.id, stream, attempts });
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
