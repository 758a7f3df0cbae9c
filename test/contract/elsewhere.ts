import { writeSync } from 'node:fs';
import type { Bus } from '#libs/bus/port.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { eventOf } from './event-store/events.ts';

// This file is a program: the other process of the suites. It reports a line to standard output for each thing done, at once and in full.

const report = (line: string): void => void writeSync(1, `${line}\n`);

type Input = { stream: string; count: number; callers: number; subject: string };

const acts: Record<string, (engine: never, input: Input) => Promise<void>> = {
  open: async () => report('open'),
  append: async (store: EventStore, { stream, count }) => {
    for (let revision = 0; revision < count; revision += 1) {
      const event = eventOf({ by: 'another process', revision });
      await store.append(stream, [event], revision - 1);
      report(event.id);
    }
  },
  appendForEver: async (store: EventStore, { stream, callers }) => {
    const caller = async (_: unknown, number: number): Promise<void> => {
      for (let revision = 0; ; revision += 1) {
        const event = eventOf({ revision });
        await store.append(`${stream}-${number}`, [event], revision - 1);
        report(event.id);
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
  },
  appendUntilRefused: async (store: EventStore, { stream, callers }) => {
    const caller = async (_: unknown, number: number): Promise<void> => {
      for (let revision = 0; ; revision += 1) {
        const event = eventOf({ filling: 'x'.repeat(10_000) });
        await store.append(`${stream}-${number}`, [event], revision - 1);
        report(event.id);
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: callers }, caller));
    for (const end of ends) report(`refused ${end.status === 'rejected' ? String(end.reason) : ''}`);
  },
  follow: async (store: EventStore, { count }) => {
    report('ready');
    let left = count;
    const enough = new AbortController();
    for await (const batch of store.subscribe(0, enough.signal)) {
      for (const { id } of batch) report(id);
      left -= batch.length;
      if (left <= 0) enough.abort();
    }
  },
  publish: async (bus: Bus, { subject, count }) => {
    for (let number = 0; number < count; number += 1) await bus.publish({ id: `${subject}-${number}`, subject, data: { number } });
    report('published');
  },
  consumeForEver: async (bus: Bus, { subject }) => {
    report('ready');
    for (;;) {
      const delivery = await bus.next({ name: 'worker', subject, urgent: false, leaseMs: 60_000 }, new AbortController().signal);
      if (!delivery) return;
      report(delivery.id);
      await delivery.ack();
    }
  },
  takeOne: async (bus: Bus, { subject }) => {
    report('ready');
    const delivery = await bus.next({ name: 'worker', subject, urgent: false, leaseMs: 60_000 }, new AbortController().signal);
    report(delivery?.id ?? '');
  },
  takeAndDie: async (bus: Bus, { subject }) => {
    const delivery = await bus.next({ name: 'worker', subject, urgent: false, leaseMs: 60_000 }, new AbortController().signal);
    report(delivery?.id ?? '');
    process.kill(process.pid, 'SIGKILL');
  },
};

const { module, name, args, act, input } = JSON.parse(process.argv[2]!) as { module: string; name: string; args: unknown[]; act: string; input: Input };
const opened = (await import(module)) as Record<string, (...given: unknown[]) => Promise<never>>;
const engine = await opened[name]!(...args);
await acts[act]!(engine, input);
await (engine as { close(): Promise<void> }).close();
