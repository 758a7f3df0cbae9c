import { randomUUID } from 'node:crypto';
import { type JetStreamBusOptions, openJetStreamBus } from '#libs/bus/jetstream.ts';
import type { Bus, Consumer } from '#libs/bus/port.ts';

export const consumer: Consumer = { name: 'worker', subject: 'work', urgent: false, leaseMs: 1_000 };

type TestBus = Bus & { missing(): string | null };
const openBuses: Bus[] = [];

/** A bus on the server. Buses with the same prefix share their queues. */
export const openBus = (
  url: string,
  prefix = `test-${randomUUID()}`,
  options: Omit<JetStreamBusOptions, 'prefix'> = {},
): TestBus => {
  const bus = openJetStreamBus(url, { prefix, ...options });
  openBuses.push(bus);
  return bus;
};

export const closeBuses = async (): Promise<void> =>
  void (await Promise.all(openBuses.splice(0).map((bus) => bus.close())));

/** Takes and acks messages until `stop` is called. `done` lists their ids in order. */
export const consumeAll = (
  bus: Bus,
  ...onDone: ((id: string) => void)[]
): { done: string[]; stop(): Promise<void> } => {
  const done: string[] = [];
  const stopping = new AbortController();
  const next = () => bus.next(consumer, stopping.signal);
  const consuming = (async () => {
    for (let message = await next(); message; message = await next()) {
      done.push(message.id);
      for (const listener of onDone) listener(message.id);
      await message.ack();
    }
  })();
  return {
    done,
    stop: async () => {
      stopping.abort();
      await consuming;
    },
  };
};

export const messageIds = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, number) => `${name}-${number}`);

export const publishAll = async (bus: Bus, ids: readonly string[]): Promise<void> =>
  void (await Promise.all(ids.map((id) => bus.publish({ id, subject: consumer.subject, data: {} }))));
