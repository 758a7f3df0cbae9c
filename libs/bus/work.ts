import type { Bus, Consumer, Delivery } from './port.ts';

/** What became of a message: it is done, or it comes again after a while. */
export type WorkEnd = { kind: 'done' } | { kind: 'again'; delayMs: number };

export type Worker = {
  consumer: Consumer;
  /** How many messages are in hands at most. */
  concurrency: number;
  work: (delivery: Delivery) => Promise<WorkEnd>;
  /** Told of work that raised an error; its message comes again. */
  onError: (error: unknown, delivery: Delivery) => void;
};

const retryMs = 1_000;

const carryOut = async ({ consumer, work, onError }: Worker, delivery: Delivery): Promise<void> => {
  const stillAtIt = setInterval(() => void delivery.working().catch(() => undefined), consumer.leaseMs / 3);
  try {
    const end = await work(delivery);
    await (end.kind === 'done' ? delivery.ack() : delivery.nak(end.delayMs));
  } catch (error) {
    onError(error, delivery);
    await delivery.nak(retryMs).catch(() => undefined);
  } finally {
    clearInterval(stillAtIt);
  }
};

/** Takes messages from the bus and works on them, until `signal` aborts; resolves when what is in hands is finished. */
export const workOff = async (bus: Bus, worker: Worker, signal: AbortSignal): Promise<void> => {
  const running = new Set<Promise<void>>();
  // A race of all that runs would leave a reaction behind on each of them at every turn: thousands times thousands where receivers are silent.
  let room = Promise.withResolvers<void>();
  for (;;) {
    if (running.size >= worker.concurrency) await room.promise;
    const delivery = await bus.next(worker.consumer, signal);
    if (!delivery) break;
    const one: Promise<void> = carryOut(worker, delivery).finally(() => {
      running.delete(one);
      room.resolve();
    });
    running.add(one);
    if (running.size >= worker.concurrency) room = Promise.withResolvers<void>();
  }
  await Promise.all(running);
};
