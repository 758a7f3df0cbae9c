import { expect } from 'vitest';
import type { BusUnderTest } from '../../support/contract/bus-under-test.ts';
import { type ContractCases, requireAbility } from '../../support/contract/describe-contract.ts';
import { runInOtherProcess } from '../../support/processes/other-process.ts';
import { isBusEmpty, newMessage, leaseNext, testConsumer } from '../../support/contract/bus-messages.ts';

const longLeaseConsumer = { ...testConsumer, leaseMs: 60_000 };

export const busProcessesCases: ContractCases<BusUnderTest> = {
  'of many who wait, each message goes to one': async ({ engine }) => {
    const waiting = Array.from({ length: 20 }, () => leaseNext(engine, longLeaseConsumer));
    const messages = Array.from({ length: 20 }, () => newMessage());
    await Promise.all(messages.map((message) => engine.publish(message)));
    const got = (await Promise.all(waiting)).map(({ id }) => id);
    expect(got.toSorted()).toEqual(messages.map(({ id }) => id).toSorted());
    expect(await isBusEmpty(engine)).toBe(true);
  },

  'what another process publishes comes to whoever waits here': async ({ engine, engineModule }, skip) => {
    const waiting = leaseNext(engine);
    const other = runInOtherProcess(requireAbility(engineModule, 'second process', skip), 'publish', {
      subject: testConsumer.subject,
      count: 1,
    });
    expect((await waiting).data).toEqual({ number: 0 });
    expect(await other.exited()).toBe(0);
  },

  'two processes share the messages, and each message comes once': async ({ engine, engineModule }, skip) => {
    const other = runInOtherProcess(requireAbility(engineModule, 'second process', skip), 'consumeForever', {
      subject: testConsumer.subject,
    });
    await other.waitForLines(1);
    const here: string[] = [];
    const published = Array.from({ length: 200 }, () => newMessage());
    const stop = new AbortController();
    const consumer = (async () => {
      for (
        let delivery = await engine.next(longLeaseConsumer, stop.signal);
        delivery;
        delivery = await engine.next(longLeaseConsumer, stop.signal)
      ) {
        here.push(delivery.id);
        await delivery.ack();
      }
    })();
    for (const message of published) await engine.publish(message);
    while ((await engine.pending(testConsumer)) > 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await consumer;
    await other.waitForLines(1 + published.length - here.length);
    await other.kill();
    const got = [...here, ...other.lines.filter((line) => line !== 'ready')];
    expect(got.toSorted()).toEqual(published.map(({ id }) => id).toSorted());
  },

  'a process that does nothing but wait for a message stays until it comes': async ({ engine, engineModule }, skip) => {
    const other = runInOtherProcess(requireAbility(engineModule, 'second process', skip), 'leaseOne', {
      subject: testConsumer.subject,
    });
    await other.waitForLines(1);
    const message = newMessage();
    await engine.publish(message);
    expect(await other.exited()).toBe(0);
    expect(other.lines).toEqual(['ready', message.id]);
  },

  'what a killed process had in hands comes to another when the lease has run out': async (
    { engine, engineModule, advance },
    skip,
  ) => {
    const place = requireAbility(engineModule, 'second process', skip);
    const message = newMessage();
    await engine.publish(message);
    const other = runInOtherProcess(place, 'leaseAndKill', { subject: testConsumer.subject });
    await other.waitForLines(1);
    await other.exited();
    expect(other.lines).toEqual([message.id]);
    expect(await isBusEmpty(engine)).toBe(true);
    await advance(longLeaseConsumer.leaseMs + 1);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 2 });
  },
};
