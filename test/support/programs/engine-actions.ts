import { writeSync } from 'node:fs';
import type { Bus } from '#libs/bus/port.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { newEvent } from '../contract/new-events.ts';

// This file is a program: the second process of the contract tests. It writes one line for each result.

const writeLine = (line: string): void => void writeSync(1, `${line}\n`);

type Input = { stream: string; count: number; callers: number; subject: string };

const actions: Record<string, (engine: never, input: Input) => Promise<void>> = {
  open: async () => writeLine('open'),
  append: async (store: EventStore, { stream, count }) => {
    for (let revision = 0; revision < count; revision += 1) {
      const event = newEvent({ by: 'another process', revision });
      await store.append(stream, [event], revision - 1);
      writeLine(event.id);
    }
  },
  appendForever: async (store: EventStore, { stream, callers }) => {
    const caller = async (_: unknown, number: number): Promise<void> => {
      for (let revision = 0; ; revision += 1) {
        const event = newEvent({ revision });
        await store.append(`${stream}-${number}`, [event], revision - 1);
        writeLine(event.id);
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
  },
  appendUntilRefused: async (store: EventStore, { stream, callers }) => {
    const caller = async (_: unknown, number: number): Promise<void> => {
      for (let revision = 0; ; revision += 1) {
        const event = newEvent({ filling: 'x'.repeat(10_000) });
        await store.append(`${stream}-${number}`, [event], revision - 1);
        writeLine(event.id);
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: callers }, caller));
    for (const end of ends) writeLine(`refused ${end.status === 'rejected' ? String(end.reason) : ''}`);
  },
  subscribe: async (store: EventStore, { count }) => {
    writeLine('ready');
    let left = count;
    const enough = new AbortController();
    for await (const batch of store.subscribe(0, enough.signal)) {
      for (const { id } of batch) writeLine(id);
      left -= batch.length;
      if (left <= 0) enough.abort();
    }
  },
  publish: async (bus: Bus, { subject, count }) => {
    for (let number = 0; number < count; number += 1)
      await bus.publish({ id: `${subject}-${number}`, subject, data: { number } });
    writeLine('published');
  },
  consumeForever: async (bus: Bus, { subject }) => {
    writeLine('ready');
    for (;;) {
      const delivery = await bus.next(
        { name: 'worker', subject, urgent: false, leaseMs: 60_000 },
        new AbortController().signal,
      );
      if (!delivery) return;
      writeLine(delivery.id);
      await delivery.ack();
    }
  },
  leaseOne: async (bus: Bus, { subject }) => {
    writeLine('ready');
    const delivery = await bus.next(
      { name: 'worker', subject, urgent: false, leaseMs: 60_000 },
      new AbortController().signal,
    );
    writeLine(delivery?.id ?? '');
  },
  leaseAndKill: async (bus: Bus, { subject }) => {
    const delivery = await bus.next(
      { name: 'worker', subject, urgent: false, leaseMs: 60_000 },
      new AbortController().signal,
    );
    writeLine(delivery?.id ?? '');
    process.kill(process.pid, 'SIGKILL');
  },
};

const { module, name, args, action, input } = JSON.parse(process.argv[2]!) as {
  module: string;
  name: string;
  args: unknown[];
  action: string;
  input: Input;
};
const opened = (await import(module)) as Record<string, (...given: unknown[]) => Promise<never>>;
const engine = await opened[name]!(...args);
await actions[action]!(engine, input);
await (engine as { close(): Promise<void> }).close();
