import { randomUUID } from 'node:crypto';
import { type JetStreamBusOptions, openJetStreamBus } from '#libs/bus/jetstream.ts';
import type { Bus, Consumer } from '#libs/bus/port.ts';

export const consumer: Consumer = { name: 'worker', subject: 'work', urgent: false, leaseMs: 1_000 };

type TestBus = Bus & { missing(): string | null };
const openBuses: Bus[] = [];

/** A bus of its own on a server, or one more on the same when `prefix` is given. */
export const openBus = (
  url: string,
  prefix = `test-${randomUUID()}`,
  more: Omit<JetStreamBusOptions, 'prefix'> = {},
): TestBus => {
  const bus = openJetStreamBus(url, { prefix, ...more });
  openBuses.push(bus);
  return bus;
};

export const closeBuses = async (): Promise<void> =>
  void (await Promise.all(openBuses.splice(0).map((bus) => bus.close())));

/** Takes messages and ends them, until told to stop; `done` holds the id of each, in order. */
export const consumeAll = (
  bus: Bus,
  ...onDone: ((id: string) => void)[]
): { done: string[]; stop(): Promise<void> } => {
  const done: string[] = [];
  const over = new AbortController();
  const work = (async () => {
    for (
      let delivery = await bus.next(consumer, over.signal);
      delivery;
      delivery = await bus.next(consumer, over.signal)
    ) {
      done.push(delivery.id);
      for (const tell of onDone) tell(delivery.id);
      await delivery.ack();
    }
  })();
  return {
    done,
    stop: async () => {
      over.abort();
      await work;
    },
  };
};

export const messageIds = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, number) => `${name}-${number}`);

export const publishAll = async (bus: Bus, ids: readonly string[]): Promise<void> =>
  void (await Promise.all(ids.map((id) => bus.publish({ id, subject: consumer.subject, data: {} }))));
