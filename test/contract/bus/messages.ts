import { randomUUID } from 'node:crypto';
import type { Bus, Consumer, Delivery, Message } from '#libs/bus/port.ts';

export const worker: Consumer = { name: 'worker', subject: 'work', urgent: false, leaseMs: 1_000 };

export const messageOf = (data: unknown = {}, subject = worker.subject): Message => ({ id: randomUUID(), subject, data });

const never = new AbortController().signal;

/** The next message; waits for it as long as it takes. */
export const next = async (bus: Bus, consumer = worker): Promise<Delivery> => (await bus.next(consumer, never))!;

/**
 * Whether nothing is there to be taken: a message published now comes before anything else.
 * It is taken off again, so that nothing has changed.
 */
export const isEmpty = async (bus: Bus, consumer = worker): Promise<boolean> => {
  const marker = messageOf('marker', consumer.subject);
  await bus.publish(marker);
  const delivery = await next(bus, consumer);
  await (delivery.id === marker.id ? delivery.ack() : delivery.nak(0));
  return delivery.id === marker.id;
};
