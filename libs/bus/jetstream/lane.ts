import { setImmediate as nextTurn } from 'node:timers/promises';
import { AckPolicy, DeliverPolicy, DiscardPolicy, JetStreamApiCodes, JetStreamApiError, type JetStreamManager, jetstreamManager, ReplayPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { headers, millis, type Msg, type MsgHdrs, nanos, type NatsConnection } from '@nats-io/transport-node';
import { LRUCache } from 'lru-cache';
import { isWithoutResponder } from '#libs/nats/responders.ts';
import { groupIn, type LaneNames, tokenOf } from './names.ts';
import { type Given, givenOf } from './given.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';

export type LaneOptions = { deduplicationMs: number; maxAgeMs: number; maxAttempts: number; replicas: number };

/** What a group has in the stream, as its consumer knows it. */
export type GroupState = { waiting: number; inHands: number; ackWaitMs: number };

/** The messages of one subject and kind on a server: a stream, with a consumer for each group that has something, made when it is first needed. */
export type Lane = {
  names: LaneNames;
  /** True where it is a new message. */
  publish(id: string, group: string, body: Uint8Array): Promise<boolean>;
  /** Tells all other processes that a group has something; resolves when it is said. `group` is its token, here and below. */
  ring(group: string): Promise<void>;
  /** Tells once more of groups that were told of lately: to be called when a connection has come up after another, which may have lost a bell. */
  ringAgain(connection: NatsConnection): void;
  /** The group's next message, if there is one now; asked for when what was asked before has been answered. */
  pull(group: string, ackWaitMs: number): Promise<Given | null>;
  /** Null where nobody has taken anything of the group for long. */
  look(group: string): Promise<GroupState | null>;
  /** The tokens of all groups that have messages, in hands or not. */
  groups(): Promise<string[]>;
  count(): Promise<number>;
  /** How many messages of the group were never given out. */
  waiting(group: string): Promise<number>;
  /** What was there is perhaps not there any more: to be called when the connection was lost. */
  doubt(): void;
  /** Takes a message off that is given out no more, and tells what it was; null where it is gone. */
  drop(sequence: number): Promise<Uint8Array | null>;
};

const answerMs = 2_000;
/** A consumer that nobody has asked for so long is removed by the server; its messages are not. */
const idleMs = 60_000;
/** So many groups are remembered to have a consumer, or to have been told of. */
const mostKnown = 20_000;
/** Longer than it takes to see that a connection is lost, and to make another one. */
const latelyMs = 30_000;
const waitsAlready = 10_077;
const existsOtherwise = 10_058;
const consumerExists = new Set<number | undefined>([10_013, 10_105, 10_148]);
/** Of the servers since 2.14, which else allow a thousand. */
const mostGroups = 1_000_000;

const codeOf = (error: unknown): number | undefined => (error instanceof JetStreamApiError ? error.code : undefined);
const isMissing = (error: unknown): boolean => {
  const code = codeOf(error);
  return isWithoutResponder(error) || code === JetStreamApiCodes.StreamNotFound || code === JetStreamApiCodes.ConsumerNotFound;
};

const managers = new WeakMap<NatsConnection, Promise<JetStreamManager>>();
const managerOf = (connection: NatsConnection): Promise<JetStreamManager> => {
  const known = managers.get(connection) ?? jetstreamManager(connection, { checkAPI: false, timeout: answerMs });
  managers.set(connection, known);
  return known;
};

type PubAck = { seq: number; duplicate?: boolean; error?: never } | { error: { code: number; err_code: number; description: string } };

/** `connect` resolves with the connection, or fails while there is none; `connected` waits for it, and fails once there will be none. */
export type Way = { connect: () => Promise<NatsConnection>; connected: () => Promise<NatsConnection> };

export const openLane = ({ connect, connected }: Way, names: LaneNames, { deduplicationMs, maxAgeMs, maxAttempts, replicas }: LaneOptions): Lane => {
  const { stream, root } = names;
  const api = async (): Promise<JetStreamManager> => managerOf(await connect());

  const makeStream = async (): Promise<void> => {
    const { streams } = await api();
    try {
      await streams.add({
        name: stream,
        subjects: [`${root}.*.*`],
        retention: RetentionPolicy.Workqueue,
        storage: StorageType.File,
        num_replicas: replicas,
        max_age: nanos(maxAgeMs),
        duplicate_window: nanos(deduplicationMs),
        // One message under one id for as long as it is there, which may be longer than any window.
        max_msgs_per_subject: 1,
        discard: DiscardPolicy.New,
        discard_new_per_subject: true,
        max_consumers: mostGroups,
      });
    } catch (error) {
      // An operator may have made it, with settings of their own.
      if (codeOf(error) !== existsOtherwise) throw error;
    }
  };

  const makeConsumer = async (group: string, ackWaitMs: number): Promise<void> => {
    const { consumers } = await api();
    const config = {
      name: group,
      durable_name: group,
      filter_subject: `${root}.${group}.*`,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      replay_policy: ReplayPolicy.Instant,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: -1,
      max_deliver: maxAttempts,
      inactive_threshold: nanos(idleMs + 2 * ackWaitMs),
    };
    const add = async (): Promise<unknown> => consumers.add(stream, config);
    await add()
      .catch(async (error: unknown) => {
        if (!isMissing(error)) throw error;
        await makeStream();
        return add();
      })
      .catch((error: unknown) => {
        if (!consumerExists.has(codeOf(error))) throw error;
      });
  };

  const look = async (group: string): Promise<GroupState | null> => {
    try {
      const { num_pending: waiting, num_ack_pending: inHands, config } = await (await api()).consumers.info(stream, group);
      return { waiting, inHands, ackWaitMs: millis(config.ack_wait ?? 0) };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };

  // Whoever asks a consumer that is not there has no answer at all from the older servers.
  const known = new LRUCache<string, true>({ max: mostKnown, ttl: idleMs });
  const ensureConsumer = async (group: string, ackWaitMs: number): Promise<void> => {
    if (!known.has(group)) {
      const there = await look(group);
      if (!there) await makeConsumer(group, ackWaitMs);
      // Made by an earlier version, whose work took less long.
      else if (there.ackWaitMs < ackWaitMs) await (await api()).consumers.update(stream, group, { ack_wait: nanos(ackWaitMs) });
    }
    known.set(group, true);
  };

  const ask = async (subject: string, body: Uint8Array, headers: MsgHdrs): Promise<Msg> => (await connect()).request(subject, body, { timeout: answerMs, headers });

  const publish = async (id: string, group: string, body: Uint8Array): Promise<boolean> => {
    const head = headers();
    const token = tokenOf(id);
    head.set('Nats-Msg-Id', token);
    const answer = (await ask(`${root}.${tokenOf(group)}.${token}`, body, head)).json<PubAck>();
    if (!answer.error) return !answer.duplicate;
    if (answer.error.err_code === waitsAlready) return false;
    throw new JetStreamApiError(answer.error);
  };

  const toBeRung = new Set<string>();
  const lately = new LRUCache<string, true>({ max: mostKnown, ttl: latelyMs });
  const ringOne = (connection: NatsConnection, group: string): void => connection.publish(`${names.bell}.${group}`);
  const ringAll = (connection: NatsConnection): void => {
    for (const group of toBeRung) {
      ringOne(connection, group);
      lately.set(group, true);
    }
    toBeRung.clear();
  };

  // The messages come under their own subjects, which the driver's shared inbox cannot tell apart.
  let mailbox: Mailbox | undefined;

  return {
    names,
    ring: async (group) => {
      toBeRung.add(group);
      // Whoever takes the message in this process asks for it at once: both go to the server together.
      await nextTurn();
      // Closed for good, nobody can be told.
      const connection = await connected().catch(() => null);
      if (connection) ringAll(connection);
    },
    ringAgain: (connection) => {
      for (const group of lately.keys()) ringOne(connection, group);
    },
    publish: async (id, group, body) => {
      try {
        return await publish(id, group, body);
      } catch (error) {
        if (!isMissing(error)) throw error;
        await makeStream();
        return publish(id, group, body);
      }
    },
    pull: async (group, ackWaitMs) => {
      await ensureConsumer(group, ackWaitMs);
      const askedAt = performance.now();
      try {
        const connection = await connect();
        if (!mailbox || mailbox.closed()) mailbox = openMailbox(connection, answerMs);
        ringAll(connection);
        return givenOf(await mailbox.ask(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${group}`, '{"batch":1,"no_wait":true}'), askedAt);
      } catch (error) {
        known.delete(group);
        throw error;
      }
    },
    look,
    doubt: () => known.clear(),
    groups: async () => {
      try {
        const { state } = await (await api()).streams.info(stream, { subjects_filter: '>' });
        return [...new Set(Object.keys(state.subjects ?? {}).map((subject) => groupIn(names, subject)))];
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
    count: async () => {
      try {
        return (await (await api()).streams.info(stream)).state.messages;
      } catch (error) {
        if (isMissing(error)) return 0;
        throw error;
      }
    },
    waiting: async (group) => {
      const state = await look(group);
      if (state) return state.waiting;
      const of = async () => (await (await api()).streams.info(stream, { subjects_filter: `${root}.${group}.*` })).state.subjects ?? {};
      const subjects = await of().catch((error: unknown) => {
        if (isMissing(error)) return {};
        throw error;
      });
      return Object.keys(subjects).length;
    },
    drop: async (sequence) => {
      const { streams } = await api();
      const found = await streams.getMessage(stream, { seq: sequence });
      return found && (await streams.deleteMessage(stream, sequence)) ? found.data : null;
    },
  };
};
