import { createPlaces, type PlaceLimits, usualSlowAfterMs } from '#libs/scheduling/places.ts';
import { growingDelayMs } from './delays.ts';
import type { Bus, Consumer, Delivery } from './port.ts';

/** What became of a message: it is done, or it comes again after a while. */
export type WorkEnd = { kind: 'done' } | { kind: 'again'; delayMs: number };

export type Worker = {
  consumer: Consumer;
  /** How many messages are worked on at most. One group alone never has more of the places than `quick`. */
  places: Pick<PlaceLimits, 'quick' | 'most'>;
  work: (delivery: Delivery) => Promise<WorkEnd>;
  /** Told of work that raised an error; its message comes again, later each time. */
  onError: (error: unknown, delivery: Delivery) => void;
};

/** How often it looks for messages of other groups while some groups may have no more places. */
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

/** Resolves when the promise does, and after the milliseconds at the latest; null stands for no such limit. */
const atLatestAfter = async (milliseconds: number | null, promise: Promise<void>): Promise<void> => {
  if (milliseconds === null) return promise;
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  await Promise.race([promise, over.promise]);
  clearTimeout(timer);
};

/** Takes messages from the bus and works on them, until `signal` aborts; resolves when the work that has begun is finished. */
export const workOff = async (bus: Bus, worker: Worker, signal: AbortSignal): Promise<void> => {
  const { consumer } = worker;
  const { quick, most } = worker.places;
  const places = createPlaces({ quick, most, slowAfterMs: usualSlowAfterMs, perGroup: quick });
  const running = new Set<Promise<void>>();
  // A race of all that runs would leave a reaction behind on each of them at every turn: thousands times thousands where receivers are silent.
  let ended = Promise.withResolvers<void>();

  const begin = (delivery: Delivery): void => {
    const leave = places.take(delivery.group);
    const one: Promise<void> = carryOut(worker, delivery).finally(() => {
      running.delete(one);
      leave();
      ended.resolve();
    });
    running.add(one);
  };

  const take = async (): Promise<Delivery | null> => {
    while (!signal.aborted) {
      ended = Promise.withResolvers<void>();
      if (!places.isFree()) {
        await atLatestAfter(places.nextSlowInMs(), ended.promise);
        continue;
      }
      const full = places.fullGroups();
      if (full.size === 0) return bus.next(consumer, signal);
      const delivery = await bus.nextBeside(consumer, full);
      if (delivery) return delivery;
      await atLatestAfter(againMs, ended.promise);
    }
    return null;
  };

  for (let delivery = await take(); delivery; delivery = await take()) begin(delivery);
  await Promise.all(running);
};
