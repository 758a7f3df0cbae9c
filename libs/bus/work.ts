import { growingDelayMs } from './delays.ts';
import type { Bus, Consumer, Delivery } from './port.ts';

/** What became of a message: it is done, or it comes again after a while. */
export type WorkEnd = { kind: 'done' } | { kind: 'again'; delayMs: number };

export type Worker = {
  consumer: Consumer;
  /** How many messages are in hands at most. */
  concurrency: number;
  /** How many more there may be while those take long: of groups alone that have less than half of `concurrency` in hands, so that one group's long work holds up no other. None unless given. */
  reserve?: number;
  work: (delivery: Delivery) => Promise<WorkEnd>;
  /** Told of work that raised an error; its message comes again, later each time. */
  onError: (error: unknown, delivery: Delivery) => void;
};

/** Work that ends within this time never brings in the reserve. */
const patienceMs = 100;
/** How often is looked for other groups once it has. */
const againMs = 20;

const carryOut = async ({ consumer, work, onError }: Worker, delivery: Delivery): Promise<void> => {
  const stillAtIt = setInterval(() => void delivery.working().catch(() => undefined), consumer.leaseMs / 3);
  try {
    const end = await work(delivery);
    await (end.kind === 'done' ? delivery.ack() : delivery.nak(end.delayMs));
  } catch (error) {
    onError(error, delivery);
    await delivery.nak(growingDelayMs(delivery.attempt)).catch(() => undefined);
  } finally {
    clearInterval(stillAtIt);
  }
};

/** Resolves when the promise does, and after the milliseconds at the latest. */
const patiently = async (promise: Promise<void>, milliseconds: number): Promise<void> => {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  await Promise.race([promise, over.promise]);
  clearTimeout(timer);
};

/** Takes messages from the bus and works on them, until `signal` aborts; resolves when what is in hands is finished. */
export const workOff = async (bus: Bus, worker: Worker, signal: AbortSignal): Promise<void> => {
  const { consumer, concurrency, reserve = 0 } = worker;
  const running = new Map<Promise<void>, string>();
  // A race of all that runs would leave a reaction behind on each of them at every turn: thousands times thousands where receivers are silent.
  let room = Promise.withResolvers<void>();

  const begin = (delivery: Delivery): void => {
    const one: Promise<void> = carryOut(worker, delivery).finally(() => {
      running.delete(one);
      if (running.size < concurrency) room.resolve();
    });
    running.set(one, delivery.group);
    if (running.size === concurrency) room = Promise.withResolvers<void>();
  };

  const served = (): Set<string> => {
    const groups = [...running.values()];
    return new Set(groups.filter((group) => groups.filter((other) => other === group).length * 2 >= concurrency));
  };

  const waitForRoom = async (): Promise<void> => {
    for (let waitMs = patienceMs; reserve > 0 && running.size >= concurrency && !signal.aborted; waitMs = againMs) {
      await patiently(room.promise, waitMs);
      if (running.size < concurrency || running.size >= concurrency + reserve) continue;
      const delivery = await bus.nextBeside(consumer, served());
      if (delivery) begin(delivery);
    }
    if (running.size >= concurrency) await room.promise;
  };

  for (;;) {
    if (running.size >= concurrency) await waitForRoom();
    const delivery = await bus.next(consumer, signal);
    if (!delivery) break;
    begin(delivery);
  }
  await Promise.all(running.keys());
};
