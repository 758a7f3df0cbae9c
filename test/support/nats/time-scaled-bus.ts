import { openJetStreamBus } from '#libs/bus/jetstream.ts';
import type { LeasedMessage, DurableBus } from '#libs/bus/port.ts';

/** A server's clock cannot be set, so that the suite's times are waited for: all of them at a fifth of their length, and none for longer than this. */
const maxScaledMs = 4_000;
const timeScale = 5;
export const scaledMs = (ms: number): number => Math.min(ms / timeScale, maxScaledMs);

const withScaledDelays = (delivery: LeasedMessage): LeasedMessage => ({
  ...delivery,
  nak: (delayMs) => delivery.nak(scaledMs(delayMs)),
});

/** A bus for which every time that it is told is shorter. */
export const openTimeScaledBus = (url: string, prefix: string, deduplicationMs: number): DurableBus => {
  const bus = openJetStreamBus(url, { prefix, deduplicationWindowMs: scaledMs(deduplicationMs) });
  const taking = async (delivery: Promise<LeasedMessage | null>): Promise<LeasedMessage | null> =>
    delivery.then((taken) => taken && withScaledDelays(taken));
  return {
    ...bus,
    next: (consumer, signal) => taking(bus.next({ ...consumer, leaseMs: scaledMs(consumer.leaseMs) }, signal)),
  };
};
