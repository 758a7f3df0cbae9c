import { expect } from 'vitest';
import type { OpenedBus } from './opened.ts';
import { type Cases, needed } from '../harness.ts';
import { actElsewhere } from '../other-process.ts';
import { isEmpty, messageOf, next, worker } from './messages.ts';

const patient = { ...worker, leaseMs: 60_000 };

export const sharing: Cases<OpenedBus> = {
  'of many who wait, each message goes to one': async ({ engine }) => {
    const waiting = Array.from({ length: 20 }, () => next(engine, patient));
    const messages = Array.from({ length: 20 }, () => messageOf());
    await Promise.all(messages.map((message) => engine.publish(message)));
    const got = (await Promise.all(waiting)).map(({ id }) => id);
    expect(got.toSorted()).toEqual(messages.map(({ id }) => id).toSorted());
    expect(await isEmpty(engine)).toBe(true);
  },

  'what another process publishes comes to whoever waits here': async ({ engine, elsewhere }, skip) => {
    const waiting = next(engine);
    const other = actElsewhere(needed(elsewhere, 'second process', skip), 'publish', { subject: worker.subject, count: 1 });
    expect((await waiting).data).toEqual({ number: 0 });
    expect(await other.ended()).toBe(0);
  },

  'two processes share the messages, and each message comes once': async ({ engine, elsewhere }, skip) => {
    const other = actElsewhere(needed(elsewhere, 'second process', skip), 'consumeForEver', { subject: worker.subject });
    await other.wrote(1);
    const here: string[] = [];
    const published = Array.from({ length: 200 }, () => messageOf());
    const stop = new AbortController();
    const consumer = (async () => {
      for (let delivery = await engine.next(patient, stop.signal); delivery; delivery = await engine.next(patient, stop.signal)) {
        here.push(delivery.id);
        await delivery.ack();
      }
    })();
    for (const message of published) await engine.publish(message);
    while ((await engine.pending(worker)) > 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await consumer;
    await other.wrote(1 + published.length - here.length);
    await other.kill();
    const got = [...here, ...other.lines.filter((line) => line !== 'ready')];
    expect(got.toSorted()).toEqual(published.map(({ id }) => id).toSorted());
  },

  'a process that does nothing but wait for a message stays until it comes': async ({ engine, elsewhere }, skip) => {
    const other = actElsewhere(needed(elsewhere, 'second process', skip), 'takeOne', { subject: worker.subject });
    await other.wrote(1);
    const message = messageOf();
    await engine.publish(message);
    expect(await other.ended()).toBe(0);
    expect(other.lines).toEqual(['ready', message.id]);
  },

  'what a killed process had in hands comes to another when the lease has run out': async ({ engine, elsewhere, advance }, skip) => {
    const place = needed(elsewhere, 'second process', skip);
    const message = messageOf();
    await engine.publish(message);
    const other = actElsewhere(place, 'takeAndDie', { subject: worker.subject });
    await other.wrote(1);
    await other.ended();
    expect(other.lines).toEqual([message.id]);
    expect(await isEmpty(engine)).toBe(true);
    await advance(patient.leaseMs + 1);
    expect(await next(engine)).toMatchObject({ id: message.id, attempt: 2 });
  },
};
