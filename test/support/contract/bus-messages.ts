import { randomUUID } from 'node:crypto';
import type { Bus, Consumer, LeasedMessage, Message } from '#libs/bus/port.ts';

export const testConsumer: Consumer = { name: 'worker', subject: 'work', urgent: false, leaseMs: 1_000 };

export const newMessage = (data: unknown = {}, subject = testConsumer.subject): Message => ({
  id: randomUUID(),
  subject,
  data,
});

const never = new AbortController().signal;

/** Waits for the next message. */
export const leaseNext = async (bus: Bus, consumer = testConsumer): Promise<LeasedMessage> =>
  (await bus.next(consumer, never))!;

/**
 * Whether no message is ready: a message that is published now is delivered first.
 * That message is acked, so the queue does not change. Its lease is so long that a busy machine can ack it.
 */
export const isBusEmpty = async (bus: Bus, consumer = testConsumer): Promise<boolean> => {
  const marker = newMessage('marker', consumer.subject);
  await bus.publish(marker);
  const delivery = await leaseNext(bus, { ...consumer, leaseMs: Math.max(consumer.leaseMs, 10_000) });
  await (delivery.id === marker.id ? delivery.ack() : delivery.nak(0));
  return delivery.id === marker.id;
};
