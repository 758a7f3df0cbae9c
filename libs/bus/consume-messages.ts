import { createPermits, type PermitLimits, defaultSlowAfterMs } from '#libs/scheduling/permits.ts';
import { redeliveryDelayMs } from './redelivery-delays.ts';
import type { Bus, Consumer, LeasedMessage } from './port.ts';

/** What became of a message: it is done, or it comes again after a while. */
export type MessageResult = { kind: 'done' } | { kind: 'retry'; delayMs: number };

export type MessageHandler = {
  /** The queue that messages are taken from, urgent and ordinary ones. */
  consumer: Omit<Consumer, 'urgent'>;
  /** How many messages are worked on at most. */
  permits: Pick<PermitLimits, 'maxQuick' | 'maxTotal'>;
  handle: (delivery: LeasedMessage) => Promise<MessageResult>;
  /** Told of work that raised an error; its message comes again, later each time. */
  onError: (error: unknown, delivery: LeasedMessage) => void;
};

const handleMessage = async ({ consumer, handle, onError }: MessageHandler, delivery: LeasedMessage): Promise<void> => {
  const stillAtIt = setInterval(() => void delivery.extendLease().catch(() => undefined), consumer.leaseMs / 3);
  try {
    const end = await handle(delivery);
    await (end.kind === 'done' ? delivery.ack() : delivery.nak(end.delayMs));
  } catch (error) {
    onError(error, delivery);
    await delivery.nak(redeliveryDelayMs(delivery.deliveryCount)).catch(() => undefined);
  } finally {
    clearInterval(stillAtIt);
  }
};

/** Resolves when the promise does, and after the milliseconds at the latest; null stands for no such limit. */
const waitAtMost = async (milliseconds: number | null, promise: Promise<void>): Promise<void> => {
  if (milliseconds === null) return promise;
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  await Promise.race([promise, over.promise]);
  clearTimeout(timer);
};

/**
 * Takes messages from both queues of the bus and works on them, until `signal` aborts; resolves when the work that has begun is finished.
 * The relay decides the order of messages: a queue is short, and both are asked whenever there is a free place. Where both have a message then, one more runs than there are places.
 */
export const consumeMessages = async (bus: Bus, worker: MessageHandler, signal: AbortSignal): Promise<void> => {
  const places = createPermits({ ...worker.permits, slowAfterMs: defaultSlowAfterMs });
  const running = new Set<Promise<void>>();
  // A race of all that runs would leave a reaction behind on each of them at every turn: thousands times thousands where receivers are silent.
  let ended = Promise.withResolvers<void>();

  const begin = (delivery: LeasedMessage): void => {
    const leave = places.acquire('');
    const one: Promise<void> = handleMessage(worker, delivery).finally(() => {
      running.delete(one);
      leave();
      ended.resolve();
      ended = Promise.withResolvers<void>();
    });
    running.add(one);
  };

  const takeFrom = async (urgent: boolean): Promise<void> => {
    const consumer: Consumer = { ...worker.consumer, urgent };
    while (!signal.aborted) {
      if (!places.isAvailable()) {
        await waitAtMost(places.msUntilNextSlow(), ended.promise);
        continue;
      }
      const delivery = await bus.next(consumer, signal);
      if (!delivery) return;
      begin(delivery);
    }
  };

  await Promise.all([takeFrom(true), takeFrom(false)]);
  await Promise.all(running);
};
