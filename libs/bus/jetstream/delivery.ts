import { setTimeout as sleep } from 'node:timers/promises';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { isWithoutResponder } from '#libs/nats/responders.ts';
import type { Consumer, Delivery } from '../port.ts';
import type { Given } from './given.ts';

export type Envelope = { id: string; group: string; data: unknown };

export type Hands = {
  /** Null while the server cannot be reached. */
  connection: () => NatsConnection | null;
  /** Told when the message is no more in these hands, with the milliseconds after which it comes again; null where it is done. */
  onEnd: (againInMs: number | null) => Promise<void> | void;
};

/** The server's lease is by so much longer than ours: what is said at the end of ours must not come too late. */
export const leaseMarginMs = 200;

const confirmMs = 1_000;
const retryMs = 50;

/** A message in hands. `until` is when the lease runs out, on the clock of `performance.now()`; it is in the past once the message has ended. */
export const deliveryOf = (consumer: Consumer, { body, reply, attempt, askedAt }: Given, { connection, onEnd }: Hands): Delivery & { until(): number } => {
  const { id, group, data } = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as Envelope;
  let until = askedAt + consumer.leaseMs;
  const held = (): boolean => performance.now() < until;

  const say = async (word: string): Promise<boolean> => {
    const server = connection();
    if (!server) return false;
    try {
      await server.request(reply, word, { timeout: confirmMs });
      return true;
    } catch (error) {
      // The consumer is gone, and with it whatever could be ended.
      return isWithoutResponder(error);
    }
  };

  /** Until the server has confirmed it, or the message is somebody else's. */
  const end = async (word: string, againInMs: number | null): Promise<void> => {
    if (!held()) return;
    const leaseEnd = until;
    until = -Infinity;
    while (performance.now() < leaseEnd && !(await say(word))) await sleep(retryMs);
    await onEnd(againInMs);
  };

  return {
    id,
    subject: consumer.subject,
    group,
    data,
    attempt,
    until: () => until,
    ack: () => end('+ACK', null),
    nak: (delayMs) => end(delayMs > 0 ? `-NAK ${JSON.stringify({ delay: nanos(delayMs) })}` : '-NAK', delayMs),
    working: async () => {
      if (!held()) return;
      const saidAt = performance.now();
      if ((await say('+WPI')) && held()) until = saidAt + consumer.leaseMs;
    },
  };
};
