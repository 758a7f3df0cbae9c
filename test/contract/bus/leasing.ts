import { expect } from 'vitest';
import type { BusUnderTest } from '../../support/contract/bus-under-test.ts';
import { type ContractCases, requireAbility } from '../../support/contract/describe-contract.ts';
import { isBusEmpty, newMessage, leaseNext, testConsumer } from '../../support/contract/bus-messages.ts';

export const leasingCases: ContractCases<BusUnderTest> = {
  'a message comes as it was published, for the first time': async ({ engine }) => {
    const message = newMessage({ text: 'é \u0000 "\' 👩🏽‍🚀', nested: [1, null, { deep: true }] });
    await engine.publish(message);
    expect(await leaseNext(engine)).toMatchObject({ ...message, deliveryCount: 1 });
  },

  'whoever waits gets a message as soon as it is published': async ({ engine }) => {
    const waiting = leaseNext(engine);
    const message = newMessage();
    await engine.publish(message);
    expect((await waiting).id).toBe(message.id);
  },

  'messages come in the order in which they were published': async ({ engine }) => {
    const messages = Array.from({ length: 20 }, (_, number) => newMessage({ number }));
    for (const message of messages) await engine.publish(message);
    for (const message of messages) {
      const delivery = await leaseNext(engine);
      expect(delivery.id).toBe(message.id);
      await delivery.ack();
    }
  },

  'each subject has its own messages': async ({ engine }) => {
    await engine.publish(newMessage('other', 'other.work'));
    expect(await isBusEmpty(engine)).toBe(true);
    expect((await leaseNext(engine, { ...testConsumer, subject: 'other.work' })).data).toBe('other');
  },

  'a message in hands is not given to anybody else': async ({ engine }) => {
    await engine.publish(newMessage());
    await leaseNext(engine);
    expect(await isBusEmpty(engine)).toBe(true);
  },

  'the same id again is no second message, while it waits, while it is in hands and when it is done': async ({
    engine,
    advance,
    deduplicationMs,
  }) => {
    const message = newMessage();
    await engine.publish(message);
    await engine.publish(message);
    expect(await engine.pending(testConsumer)).toBe(1);
    const delivery = await leaseNext(engine);
    await engine.publish(message);
    await delivery.ack();
    await engine.publish(message);
    await advance(deduplicationMs / 2);
    await engine.publish({ ...message, data: 'other data' });
    expect(await engine.pending(testConsumer)).toBe(0);
  },

  'the same id is a message again after the de-duplication window': async ({ engine, advance, deduplicationMs }) => {
    const message = newMessage();
    await engine.publish(message);
    await (await leaseNext(engine)).ack();
    await advance(deduplicationMs + 1);
    await engine.publish(message);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 1 });
  },

  'and so is each of many that were done long ago, the last of them first': async ({
    engine,
    advance,
    deduplicationMs,
  }) => {
    const messages = Array.from({ length: 30 }, () => newMessage());
    for (const message of messages) {
      await engine.publish(message);
      await (await leaseNext(engine)).ack();
    }
    await advance(deduplicationMs + 1);
    for (const message of messages.toReversed()) await engine.publish(message);
    expect(await engine.pending(testConsumer)).toBe(messages.length);
  },

  'the same message published many times at once is one': async ({ engine }) => {
    const message = newMessage();
    await Promise.all(Array.from({ length: 20 }, () => engine.publish(message)));
    expect(await engine.pending(testConsumer)).toBe(1);
  },

  'what waits and what is in hands is pending, what is done is not': async ({ engine }) => {
    for (let number = 0; number < 3; number += 1) await engine.publish(newMessage());
    const delivery = await leaseNext(engine);
    expect(await engine.pending(testConsumer)).toBe(3);
    await delivery.ack();
    expect(await engine.pending(testConsumer)).toBe(2);
    expect(await engine.pending({ ...testConsumer, subject: 'other.work' })).toBe(0);
  },

  'an abort ends the waiting with null, and takes no message away': async ({ engine }) => {
    const abort = new AbortController();
    const waiting = [engine.next(testConsumer, abort.signal), engine.next(testConsumer, abort.signal)];
    abort.abort();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    await engine.publish(newMessage('for somebody else'));
    expect(await engine.next(testConsumer, abort.signal)).toBe(null);
    expect(await leaseNext(engine)).toMatchObject({ data: 'for somebody else' });
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

  'messages outlast a restart, with their attempts and leases': async ({ engine, reopen, advance }, skip) => {
    const open = requireAbility(reopen, 'lasting storage', skip);
    const [held, waiting, done] = [newMessage(), newMessage(), newMessage()];
    for (const message of [done, held, waiting]) await engine.publish(message);
    await (await leaseNext(engine)).ack();
    await leaseNext(engine);
    const again = await open();
    expect(await again.pending(testConsumer)).toBe(2);
    expect(await leaseNext(again)).toMatchObject({ id: waiting.id, deliveryCount: 1 });
    await advance(testConsumer.leaseMs + 1);
    expect(await leaseNext(again)).toMatchObject({ id: held.id, deliveryCount: 2 });
    await again.publish(done);
    expect(await again.pending(testConsumer)).toBe(2);
  },
};
