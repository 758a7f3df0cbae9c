import fc from 'fast-check';
import { expect, vi } from 'vitest';
import type { BusUnderTest } from '../../support/contract/bus-under-test.ts';
import type { ContractCases } from '../../support/contract/describe-contract.ts';
import { isBusEmpty, newMessage, leaseNext, testConsumer } from '../../support/contract/bus-messages.ts';

const almost = testConsumer.leaseMs * 0.8;
const redeliveryCauses = fc.array(fc.array(fc.constantFrom('nak' as const, 'lost' as const), { maxLength: 3 }), {
  minLength: 1,
  maxLength: 8,
});

export const acknowledgingCases: ContractCases<BusUnderTest> = {
  'a message that is done does not come again': async ({ engine, advance }) => {
    await engine.publish(newMessage());
    await (await leaseNext(engine)).ack();
    await advance(testConsumer.leaseMs * 2);
    expect(await isBusEmpty(engine)).toBe(true);
  },

  'a message whose lease has run out is given out again, one attempt further': async ({ engine, advance }) => {
    const message = newMessage();
    await engine.publish(message);
    await leaseNext(engine);
    await advance(testConsumer.leaseMs + 1);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 2 });
    await advance(testConsumer.leaseMs + 1);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 3 });
  },

  'whoever waits gets a message when the lease of another runs out': async ({ engine, advance }) => {
    const message = newMessage();
    await engine.publish(message);
    await leaseNext(engine);
    const waiting = leaseNext(engine);
    await advance(testConsumer.leaseMs + 1);
    expect(await waiting).toMatchObject({ id: message.id, deliveryCount: 2 });
  },

  'who has lost the lease can no longer end, delay or hold the message': async ({ engine, advance }) => {
    const message = newMessage();
    await engine.publish(message);
    const lost = await leaseNext(engine);
    await advance(testConsumer.leaseMs + 1);
    const held = await leaseNext(engine);
    await lost.nak(0);
    expect(await isBusEmpty(engine)).toBe(true);
    await lost.extendLease();
    await lost.ack();
    expect(await engine.pending(testConsumer)).toBe(1);
    await held.nak(0);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 3 });
  },

  'an ack after the lease was lost does not take the message from the one who has it': async ({ engine, advance }) => {
    const message = newMessage();
    await engine.publish(message);
    const lost = await leaseNext(engine);
    await advance(testConsumer.leaseMs + 1);
    await leaseNext(engine);
    await lost.ack();
    await advance(testConsumer.leaseMs + 1);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 3 });
  },

  'a message given back comes again after the delay, and not before': async ({ engine, advance }) => {
    const message = newMessage();
    await engine.publish(message);
    await (await leaseNext(engine)).nak(5_000);
    await advance(4_000);
    expect(await isBusEmpty(engine)).toBe(true);
    await advance(1_001);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 2 });
  },

  'a message given back comes again after the delay where the clock of the machine is set back by an hour, or forward':
    async ({ engine, advance }) => {
      for (const byMs of [-3_600_000, 3_600_000]) {
        const message = newMessage();
        await engine.publish(message);
        const delivery = await leaseNext(engine);
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
        await delivery.nak(5_000);
        await advance(4_000);
        expect(await isBusEmpty(engine)).toBe(true);
        await advance(1_001);
        const again = await leaseNext(engine);
        expect(again).toMatchObject({ id: message.id, deliveryCount: 2 });
        await again.ack();
        vi.useRealTimers();
      }
    },

  'a message given back without delay wakes whoever waits': async ({ engine }) => {
    const message = newMessage();
    await engine.publish(message);
    const held = await leaseNext(engine);
    const waiting = leaseNext(engine);
    await held.nak(0);
    expect((await waiting).id).toBe(message.id);
  },

  'once given back, a message is neither held by a late sign of life nor ended by a late ack': async ({
    engine,
    advance,
  }) => {
    const message = newMessage();
    await engine.publish(message);
    const delivery = await leaseNext(engine);
    await delivery.nak(100);
    await delivery.extendLease();
    await delivery.ack();
    await delivery.nak(60_000);
    await advance(101);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 2 });
  },

  'long work keeps its message by saying that it goes on': async ({ engine, advance }) => {
    const message = newMessage();
    await engine.publish(message);
    const delivery = await leaseNext(engine);
    for (let time = 0; time < 3; time += 1) {
      await advance(almost);
      await delivery.extendLease();
    }
    await advance(almost);
    expect(await isBusEmpty(engine)).toBe(true);
    await advance(almost);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 2 });
  },

  'whatever is given back or lost on the way, every message gets done once': async ({ engine, advance }) => {
    await fc.assert(
      fc.asyncProperty(redeliveryCauses, async (ways) => {
        const left = new Map(
          ways
            .map((way) => ({ message: newMessage(), way: [...way], attempts: way.length + 1 }))
            .map((one) => [one.message.id, one]),
        );
        for (const { message } of left.values()) await engine.publish(message);
        while (left.size > 0) {
          if ((await engine.pending(testConsumer)) !== left.size) throw new Error('a message is lost or came back');
          const delivery = await leaseNext(engine);
          const one = left.get(delivery.id)!;
          const fate = one.way.shift();
          if (fate === 'nak') await delivery.nak(0);
          if (fate === 'lost') await advance(testConsumer.leaseMs + 1);
          if (fate) continue;
          expect(delivery.deliveryCount).toBe(one.attempts);
          await delivery.ack();
          left.delete(delivery.id);
        }
        expect(await engine.pending(testConsumer)).toBe(0);
      }),
      { numRuns: 10 },
    );
  },
};
