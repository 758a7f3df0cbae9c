import { openJetStreamBus } from '#libs/bus/jetstream.ts';
import type { Delivery, StoredBus } from '#libs/bus/port.ts';

/** A server's clock cannot be set, so that the suite's times are waited for: all of them at a fifth of their length, and none for longer than this. */
const longestMs = 4_000;
const speed = 5;
export const shortened = (ms: number): number => Math.min(ms / speed, longestMs);

const shortenedDelivery = (delivery: Delivery): Delivery => ({ ...delivery, nak: (delayMs) => delivery.nak(shortened(delayMs)) });

/** A bus for which every time that it is told is shorter. */
export const openShortenedBus = (url: string, prefix: string, deduplicationMs: number): StoredBus => {
  const bus = openJetStreamBus(url, { prefix, deduplicationMs: shortened(deduplicationMs) });
  const taking = async (delivery: Promise<Delivery | null>): Promise<Delivery | null> => delivery.then((taken) => taken && shortenedDelivery(taken));
  return {
    ...bus,
    next: (consumer, signal) => taking(bus.next({ ...consumer, leaseMs: shortened(consumer.leaseMs) }, signal)),
  };
};
