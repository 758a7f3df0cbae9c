import { expect } from 'vitest';
import type { BusUnderTest } from '../../support/contract/bus-under-test.ts';
import { type ContractCases, requireAbility } from '../../support/contract/describe-contract.ts';
import { isBusEmpty, newMessage, leaseNext, testConsumer } from '../../support/contract/bus-messages.ts';

/** So long that it does not end while a busy machine does a few things, such as opening the bus again. */
const longLease = { ...testConsumer, leaseMs: 10_000 };

export const leasingCases: ContractCases<BusUnderTest> = {
  'a message is delivered as it was published': async ({ engine }) => {
    const message = newMessage({ text: 'é \u0000 "\' 👩🏽‍🚀', nested: [1, null, { deep: true }] });
    await engine.publish(message);
    expect(await leaseNext(engine)).toMatchObject({ ...message, deliveryCount: 1 });
  },

  'a waiting consumer gets a message as soon as it is published': async ({ engine }) => {
    const waiting = leaseNext(engine);
    const message = newMessage();
    await engine.publish(message);
    expect((await waiting).id).toBe(message.id);
  },

  'messages are delivered in the order of publication': async ({ engine }) => {
    const messages = Array.from({ length: 20 }, (_, number) => newMessage({ number }));
    for (const message of messages) await engine.publish(message);
    for (const message of messages) {
      const leased = await leaseNext(engine, longLease);
      expect(leased.id).toBe(message.id);
      await leased.ack();
    }
  },

  'each subject has its own messages': async ({ engine }) => {
    await engine.publish(newMessage('other', 'other.work'));
    expect(await isBusEmpty(engine)).toBe(true);
    expect((await leaseNext(engine, { ...testConsumer, subject: 'other.work' })).data).toBe('other');
  },

  'a leased message is not delivered to another consumer': async ({ engine }) => {
    await engine.publish(newMessage());
    await leaseNext(engine, longLease);
    expect(await isBusEmpty(engine, longLease)).toBe(true);
  },

  'a repeated id is not a second message, while the first waits, is leased or is acknowledged': async ({
    engine,
    advance,
    deduplicationMs,
  }) => {
    const message = newMessage();
    await engine.publish(message);
    await engine.publish(message);
    expect(await engine.pending(testConsumer)).toBe(1);
    const leased = await leaseNext(engine, longLease);
    await engine.publish(message);
    await leased.ack();
    await engine.publish(message);
    await advance(deduplicationMs / 2);
    await engine.publish({ ...message, data: 'other data' });
    expect(await engine.pending(testConsumer)).toBe(0);
  },

  'many repeated ids are new messages after the de-duplication window, in any order': async ({
    engine,
    advance,
    deduplicationMs,
  }) => {
    const messages = Array.from({ length: 30 }, () => newMessage());
    for (const message of messages) {
      await engine.publish(message);
      await (await leaseNext(engine, longLease)).ack();
    }
    await advance(deduplicationMs + 1);
    for (const message of messages.toReversed()) await engine.publish(message);
    expect(await engine.pending(testConsumer)).toBe(messages.length);
    expect(await leaseNext(engine)).toMatchObject({ id: messages.at(-1)!.id, deliveryCount: 1 });
  },

  'parallel publications of a message are one message': async ({ engine }) => {
    const message = newMessage();
    await Promise.all(Array.from({ length: 20 }, () => engine.publish(message)));
    expect(await engine.pending(testConsumer)).toBe(1);
  },

  'waiting and leased messages are pending, acknowledged ones are not': async ({ engine }) => {
    for (let number = 0; number < 3; number += 1) await engine.publish(newMessage());
    const leased = await leaseNext(engine, longLease);
    expect(await engine.pending(testConsumer)).toBe(3);
    await leased.ack();
    expect(await engine.pending(testConsumer)).toBe(2);
    expect(await engine.pending({ ...testConsumer, subject: 'other.work' })).toBe(0);
  },

  'an abort ends the waiting with null and loses no message': async ({ engine }) => {
    const abort = new AbortController();
    const waiting = [engine.next(testConsumer, abort.signal), engine.next(testConsumer, abort.signal)];
    abort.abort();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    await engine.publish(newMessage('for another consumer'));
    expect(await engine.next(testConsumer, abort.signal)).toBe(null);
    expect(await leaseNext(engine)).toMatchObject({ data: 'for another consumer' });
  },

  'close ends the waiting with null': async ({ engine }) => {
    const waiting = [
      engine.next(testConsumer, new AbortController().signal),
      engine.next(testConsumer, new AbortController().signal),
    ];
    await engine.close();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    expect(await engine.next(testConsumer, new AbortController().signal)).toBe(null);
    await expect(engine.publish(newMessage())).rejects.toThrow();
  },

  'messages survive a restart, with their delivery counts and leases': async ({ engine, reopen, advance }, skip) => {
    const open = requireAbility(reopen, 'lasting storage', skip);
    const [held, waiting, done] = [newMessage(), newMessage(), newMessage()];
    for (const message of [done, held, waiting]) await engine.publish(message);
    await (await leaseNext(engine, longLease)).ack();
    await leaseNext(engine, longLease);
    const again = await open();
    // Before the lease ends, because the bus forgets ids after a while.
    await again.publish(done);
    expect(await again.pending(longLease)).toBe(2);
    expect(await leaseNext(again, longLease)).toMatchObject({ id: waiting.id, deliveryCount: 1 });
    await advance(longLease.leaseMs + 1);
    expect(await leaseNext(again, longLease)).toMatchObject({ id: held.id, deliveryCount: 2 });
  },
};
