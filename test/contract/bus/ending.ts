import fc from 'fast-check';
import { expect, vi } from 'vitest';
import type { OpenedBus } from './opened.ts';
import type { Cases } from '../harness.ts';
import { isEmpty, messageOf, next, worker } from './messages.ts';

const almost = worker.leaseMs * 0.8;
const fates = fc.array(fc.array(fc.constantFrom('nak' as const, 'lost' as const), { maxLength: 3 }), { minLength: 1, maxLength: 8 });

export const ending: Cases<OpenedBus> = {
  'a message that is done does not come again': async ({ engine, advance }) => {
    await engine.publish(messageOf());
    await (await next(engine)).ack();
    await advance(worker.leaseMs * 2);
    expect(await isEmpty(engine)).toBe(true);
  },

  'a message whose lease has run out is given out again, one attempt further': async ({ engine, advance }) => {
    const message = messageOf();
    await engine.publish(message);
    await next(engine);
    await advance(worker.leaseMs + 1);
    expect(await next(engine)).toMatchObject({ id: message.id, attempt: 2 });
    await advance(worker.leaseMs + 1);
    expect(await next(engine)).toMatchObject({ id: message.id, attempt: 3 });
  },

  'whoever waits gets a message when the lease of another runs out': async ({ engine, advance }) => {
    const message = messageOf();
    await engine.publish(message);
    await next(engine);
    const waiting = next(engine);
    await advance(worker.leaseMs + 1);
    expect(await waiting).toMatchObject({ id: message.id, attempt: 2 });
  },

  'who has lost the lease can no longer end, delay or hold the message': async ({ engine, advance }) => {
    const message = messageOf();
    await engine.publish(message);
    const lost = await next(engine);
    await advance(worker.leaseMs + 1);
    const held = await next(engine);
    await lost.nak(0);
    expect(await isEmpty(engine)).toBe(true);
    await lost.working();
    await lost.ack();
    expect(await engine.pending(worker)).toBe(1);
    await held.nak(0);
    expect(await next(engine)).toMatchObject({ id: message.id, attempt: 3 });
  },

  'an ack after the lease was lost does not take the message from the one who has it': async ({ engine, advance }) => {
    const message = messageOf();
    await engine.publish(message);
    const lost = await next(engine);
    await advance(worker.leaseMs + 1);
    await next(engine);
    await lost.ack();
    await advance(worker.leaseMs + 1);
    expect(await next(engine)).toMatchObject({ id: message.id, attempt: 3 });
  },

  'a message given back comes again after the delay, and not before': async ({ engine, advance }) => {
    const message = messageOf();
    await engine.publish(message);
    await (await next(engine)).nak(5_000);
    await advance(4_000);
    expect(await isEmpty(engine)).toBe(true);
    await advance(1_001);
    expect(await next(engine)).toMatchObject({ id: message.id, attempt: 2 });
  },

  'a message given back comes again after the delay where the clock of the machine is set back by an hour, or forward': async ({ engine, advance }) => {
    for (const byMs of [-3_600_000, 3_600_000]) {
      const message = messageOf();
      await engine.publish(message);
      const delivery = await next(engine);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
      await delivery.nak(5_000);
      await advance(4_000);
      expect(await isEmpty(engine)).toBe(true);
      await advance(1_001);
      const again = await next(engine);
      expect(again).toMatchObject({ id: message.id, attempt: 2 });
      await again.ack();
      vi.useRealTimers();
    }
  },

  'a message given back without delay wakes whoever waits': async ({ engine }) => {
    const message = messageOf();
    await engine.publish(message);
    const held = await next(engine);
    const waiting = next(engine);
    await held.nak(0);
    expect((await waiting).id).toBe(message.id);
  },

  'once given back, a message is neither held by a late sign of life nor ended by a late ack': async ({ engine, advance }) => {
    const message = messageOf();
    await engine.publish(message);
    const delivery = await next(engine);
    await delivery.nak(100);
    await delivery.working();
    await delivery.ack();
    await delivery.nak(60_000);
    await advance(101);
    expect(await next(engine)).toMatchObject({ id: message.id, attempt: 2 });
  },

  'long work keeps its message by saying that it goes on': async ({ engine, advance }) => {
    const message = messageOf();
    await engine.publish(message);
    const delivery = await next(engine);
    for (let time = 0; time < 3; time += 1) {
      await advance(almost);
      await delivery.working();
    }
    await advance(almost);
    expect(await isEmpty(engine)).toBe(true);
    await advance(almost);
    expect(await next(engine)).toMatchObject({ id: message.id, attempt: 2 });
  },

  'whatever is given back or lost on the way, every message gets done once': async ({ engine, advance }) => {
    await fc.assert(
      fc.asyncProperty(fates, async (ways) => {
        const left = new Map(ways.map((way) => ({ message: messageOf(), way: [...way], attempts: way.length + 1 })).map((one) => [one.message.id, one]));
        for (const { message } of left.values()) await engine.publish(message);
        while (left.size > 0) {
          if ((await engine.pending(worker)) !== left.size) throw new Error('a message is lost or came back');
          const delivery = await next(engine);
          const one = left.get(delivery.id)!;
          const fate = one.way.shift();
          if (fate === 'nak') await delivery.nak(0);
          if (fate === 'lost') await advance(worker.leaseMs + 1);
          if (fate) continue;
          expect(delivery.attempt).toBe(one.attempts);
          await delivery.ack();
          left.delete(delivery.id);
        }
        expect(await engine.pending(worker)).toBe(0);
      }),
      { numRuns: 10 },
    );
  },
};
