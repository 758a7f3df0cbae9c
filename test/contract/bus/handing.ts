import { expect } from 'vitest';
import type { OpenedBus } from './opened.ts';
import { type Cases, needed } from '../harness.ts';
import { isEmpty, messageOf, next, worker } from './messages.ts';

export const handing: Cases<OpenedBus> = {
  'a message comes as it was published, for the first time': async ({ engine }) => {
    const message = messageOf({ text: 'é \u0000 "\' 👩🏽‍🚀', nested: [1, null, { deep: true }] });
    await engine.publish(message);
    expect(await next(engine)).toMatchObject({ ...message, attempt: 1 });
  },

  'whoever waits gets a message as soon as it is published': async ({ engine }) => {
    const waiting = next(engine);
    const message = messageOf();
    await engine.publish(message);
    expect((await waiting).id).toBe(message.id);
  },

  'messages come in the order in which they were published': async ({ engine }) => {
    const messages = Array.from({ length: 20 }, (_, number) => messageOf({ number }));
    for (const message of messages) await engine.publish(message);
    for (const message of messages) {
      const delivery = await next(engine);
      expect(delivery.id).toBe(message.id);
      await delivery.ack();
    }
  },

  'each subject has its own messages': async ({ engine }) => {
    await engine.publish(messageOf('other', 'other.work'));
    expect(await isEmpty(engine)).toBe(true);
    expect((await next(engine, { ...worker, subject: 'other.work' })).data).toBe('other');
  },

  'a message in hands is not given to anybody else': async ({ engine }) => {
    await engine.publish(messageOf());
    await next(engine);
    expect(await isEmpty(engine)).toBe(true);
  },

  'the same id again is no second message, while it waits, while it is in hands and when it is done': async ({ engine, advance, deduplicationMs }) => {
    const message = messageOf();
    await engine.publish(message);
    await engine.publish(message);
    expect(await engine.pending(worker)).toBe(1);
    const delivery = await next(engine);
    await engine.publish(message);
    await delivery.ack();
    await engine.publish(message);
    await advance(deduplicationMs / 2);
    await engine.publish({ ...message, data: 'other data' });
    expect(await engine.pending(worker)).toBe(0);
  },

  'the same id is a message again after the de-duplication window': async ({ engine, advance, deduplicationMs }) => {
    const message = messageOf();
    await engine.publish(message);
    await (await next(engine)).ack();
    await advance(deduplicationMs + 1);
    await engine.publish(message);
    expect(await next(engine)).toMatchObject({ id: message.id, attempt: 1 });
  },

  'and so is each of many that were done long ago, the last of them first': async ({ engine, advance, deduplicationMs }) => {
    const messages = Array.from({ length: 30 }, () => messageOf());
    for (const message of messages) {
      await engine.publish(message);
      await (await next(engine)).ack();
    }
    await advance(deduplicationMs + 1);
    for (const message of messages.toReversed()) await engine.publish(message);
    expect(await engine.pending(worker)).toBe(messages.length);
  },

  'the same message published many times at once is one': async ({ engine }) => {
    const message = messageOf();
    await Promise.all(Array.from({ length: 20 }, () => engine.publish(message)));
    expect(await engine.pending(worker)).toBe(1);
  },

  'what waits and what is in hands is pending, what is done is not': async ({ engine }) => {
    for (let number = 0; number < 3; number += 1) await engine.publish(messageOf());
    const delivery = await next(engine);
    expect(await engine.pending(worker)).toBe(3);
    await delivery.ack();
    expect(await engine.pending(worker)).toBe(2);
    expect(await engine.pending({ ...worker, subject: 'other.work' })).toBe(0);
  },

  'an abort ends the waiting with null, and takes no message away': async ({ engine }) => {
    const abort = new AbortController();
    const waiting = [engine.next(worker, abort.signal), engine.next(worker, abort.signal)];
    abort.abort();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    await engine.publish(messageOf('for somebody else'));
    expect(await engine.next(worker, abort.signal)).toBe(null);
    expect(await next(engine)).toMatchObject({ data: 'for somebody else' });
  },

  'close ends the waiting with null': async ({ engine }) => {
    const waiting = [engine.next(worker, new AbortController().signal), engine.next(worker, new AbortController().signal)];
    await engine.close();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    expect(await engine.next(worker, new AbortController().signal)).toBe(null);
    await expect(engine.publish(messageOf())).rejects.toThrow();
  },

  'messages outlast a restart, with their attempts and leases': async ({ engine, reopen, advance }, skip) => {
    const open = needed(reopen, 'lasting storage', skip);
    const [held, waiting, done] = [messageOf(), messageOf(), messageOf()];
    for (const message of [done, held, waiting]) await engine.publish(message);
    await (await next(engine)).ack();
    await next(engine);
    const again = await open();
    expect(await again.pending(worker)).toBe(2);
    expect(await next(again)).toMatchObject({ id: waiting.id, attempt: 1 });
    await advance(worker.leaseMs + 1);
    expect(await next(again)).toMatchObject({ id: held.id, attempt: 2 });
    await again.publish(done);
    expect(await again.pending(worker)).toBe(2);
  },
};
