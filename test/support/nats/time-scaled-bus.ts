import { openJetStreamBus } from '#libs/bus/jetstream.ts';
import type { LeasedMessage, DurableBus } from '#libs/bus/port.ts';

/** The clock of a server cannot be set, so the tests wait. All times are a fifth of their length, and at most this. */
const maxScaledMs = 4_000;
const timeScale = 5;
export const scaledMs = (ms: number): number => Math.min(ms / timeScale, maxScaledMs);

const withScaledDelays = (message: LeasedMessage): LeasedMessage => ({
  ...message,
  nak: (delayMs) => message.nak(scaledMs(delayMs)),
});

/** A JetStream bus with shorter leases, delays and de-duplication window. */
export const openTimeScaledBus = (url: string, prefix: string, windowMs: number): DurableBus => {
  const bus = openJetStreamBus(url, { prefix, deduplicationWindowMs: scaledMs(windowMs) });
  const scale = async (next: Promise<LeasedMessage | null>): Promise<LeasedMessage | null> =>
    next.then((message) => message && withScaledDelays(message));
  return {
    ...bus,
    next: (consumer, signal) => scale(bus.next({ ...consumer, leaseMs: scaledMs(consumer.leaseMs) }, signal)),
  };
};
