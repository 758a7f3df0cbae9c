import { expect } from 'vitest';
import type { BusUnderTest } from '../../support/contract/bus-under-test.ts';
import { type ContractCases, requireAbility } from '../../support/contract/describe-contract.ts';
import { runInOtherProcess } from '../../support/processes/other-process.ts';
import { isBusEmpty, newMessage, leaseNext, testConsumer } from '../../support/contract/bus-messages.ts';

const longLeaseConsumer = { ...testConsumer, leaseMs: 60_000 };

export const busProcessesCases: ContractCases<BusUnderTest> = {
  'each message is delivered to one of many waiting consumers': async ({ engine }) => {
    const waiting = Array.from({ length: 20 }, () => leaseNext(engine, longLeaseConsumer));
    const messages = Array.from({ length: 20 }, () => newMessage());
    await Promise.all(messages.map((message) => engine.publish(message)));
    const got = (await Promise.all(waiting)).map(({ id }) => id);
    expect(got.toSorted()).toEqual(messages.map(({ id }) => id).toSorted());
    expect(await isBusEmpty(engine)).toBe(true);
  },

  'a waiting consumer gets a message that another process publishes': async ({ engine, engineModule }, skip) => {
    const waiting = leaseNext(engine);
    const other = runInOtherProcess(requireAbility(engineModule, 'second process', skip), 'publish', {
      subject: testConsumer.subject,
      count: 1,
    });
    expect((await waiting).data).toEqual({ number: 0 });
    expect(await other.exited()).toBe(0);
  },

  'two processes share the messages, and each message is delivered once': async ({ engine, engineModule }, skip) => {
    const other = runInOtherProcess(requireAbility(engineModule, 'second process', skip), 'consumeForever', {
      subject: testConsumer.subject,
    });
    await other.waitForLines(1);
    const here: string[] = [];
    const published = Array.from({ length: 200 }, () => newMessage());
    const stop = new AbortController();
    const consumer = (async () => {
      for (
        let leased = await engine.next(longLeaseConsumer, stop.signal);
        leased;
        leased = await engine.next(longLeaseConsumer, stop.signal)
      ) {
        here.push(leased.id);
        await leased.ack();
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

  'a process that only waits for a message keeps running until it arrives': async ({ engine, engineModule }, skip) => {
    const other = runInOtherProcess(requireAbility(engineModule, 'second process', skip), 'leaseOne', {
      subject: testConsumer.subject,
    });
    await other.waitForLines(1);
    const message = newMessage();
    await engine.publish(message);
    expect(await other.exited()).toBe(0);
    expect(other.lines).toEqual(['ready', message.id]);
  },

  'a message that a killed process had leased is delivered again after the lease has expired': async (
    { engine, engineModule, advance },
    skip,
  ) => {
    const engineToOpen = requireAbility(engineModule, 'second process', skip);
    const message = newMessage();
    await engine.publish(message);
    const other = runInOtherProcess(engineToOpen, 'leaseAndKill', { subject: testConsumer.subject });
    await other.waitForLines(1);
    await other.exited();
    expect(other.lines).toEqual([message.id]);
    expect(await isBusEmpty(engine)).toBe(true);
    await advance(longLeaseConsumer.leaseMs + 1);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 2 });
  },
};
