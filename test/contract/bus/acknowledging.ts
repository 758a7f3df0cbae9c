import fc from 'fast-check';
import { expect, vi } from 'vitest';
import type { BusUnderTest } from '../../support/contract/bus-under-test.ts';
import type { ContractCases } from '../../support/contract/describe-contract.ts';
import { isBusEmpty, newMessage, leaseNext, testConsumer } from '../../support/contract/bus-messages.ts';

/** So long that it does not end while a busy machine does a few things. */
const longLease = { ...testConsumer, leaseMs: 5_000 };
const half = longLease.leaseMs / 2;
const twoSeconds = { ...testConsumer, leaseMs: 2_000 };
const redeliveryCauses = fc.array(fc.array(fc.constantFrom('nak' as const, 'expired' as const), { maxLength: 3 }), {
  minLength: 1,
  maxLength: 8,
});

export const acknowledgingCases: ContractCases<BusUnderTest> = {
  'an acknowledged message is not delivered again': async ({ engine, advance }) => {
    await engine.publish(newMessage());
    await (await leaseNext(engine, twoSeconds)).ack();
    await advance(twoSeconds.leaseMs * 2);
    expect(await isBusEmpty(engine)).toBe(true);
  },

  'a message whose lease has expired is delivered again, with a higher delivery count': async ({ engine, advance }) => {
    const message = newMessage();
    await engine.publish(message);
    await leaseNext(engine);
    await advance(testConsumer.leaseMs + 1);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 2 });
    await advance(testConsumer.leaseMs + 1);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 3 });
  },

  'a waiting consumer gets a message when the lease of another expires': async ({ engine, advance }) => {
    const message = newMessage();
    await engine.publish(message);
    await leaseNext(engine);
    const waiting = leaseNext(engine);
    await advance(testConsumer.leaseMs + 1);
    expect(await waiting).toMatchObject({ id: message.id, deliveryCount: 2 });
  },

  'after its lease has expired, a consumer can no longer ack, nak or extend the message': async ({
    engine,
    advance,
  }) => {
    const message = newMessage();
    await engine.publish(message);
    const lost = await leaseNext(engine, longLease);
    await advance(longLease.leaseMs + 1);
    const held = await leaseNext(engine, longLease);
    await lost.nak(0);
    expect(await isBusEmpty(engine, longLease)).toBe(true);
    await lost.extendLease();
    await lost.ack();
    expect(await engine.pending(longLease)).toBe(1);
    await held.nak(0);
    expect(await leaseNext(engine, longLease)).toMatchObject({ id: message.id, deliveryCount: 3 });
  },

  'an ack after the lease has expired does not remove the message of the next consumer': async ({
    engine,
    advance,
  }) => {
    const message = newMessage();
    await engine.publish(message);
    const lost = await leaseNext(engine);
    await advance(testConsumer.leaseMs + 1);
    await leaseNext(engine);
    await lost.ack();
    await advance(testConsumer.leaseMs + 1);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 3 });
  },

  'a nak redelivers a message after the delay, and not before, even if the system clock changes by an hour': async ({
    engine,
    advance,
  }) => {
    for (const byMs of [-3_600_000, 3_600_000]) {
      const message = newMessage();
      await engine.publish(message);
      const leased = await leaseNext(engine, longLease);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
      await leased.nak(5_000);
      await advance(1_000);
      expect(await isBusEmpty(engine)).toBe(true);
      await advance(4_001);
      const again = await leaseNext(engine, longLease);
      expect(again).toMatchObject({ id: message.id, deliveryCount: 2 });
      await again.ack();
      vi.useRealTimers();
    }
  },

  'a nak without delay redelivers a message to a waiting consumer': async ({ engine }) => {
    const message = newMessage();
    await engine.publish(message);
    const held = await leaseNext(engine, longLease);
    const waiting = leaseNext(engine, longLease);
    await held.nak(0);
    expect((await waiting).id).toBe(message.id);
  },

  'after a nak, a late lease extension or ack has no effect': async ({ engine, advance }) => {
    const message = newMessage();
    await engine.publish(message);
    const leased = await leaseNext(engine);
    await leased.nak(100);
    await leased.extendLease();
    await leased.ack();
    await leased.nak(60_000);
    await advance(101);
    expect(await leaseNext(engine)).toMatchObject({ id: message.id, deliveryCount: 2 });
  },

  'a consumer keeps its message if it extends the lease': async ({ engine, advance }) => {
    const message = newMessage();
    await engine.publish(message);
    const leased = await leaseNext(engine, longLease);
    for (let time = 0; time < 3; time += 1) {
      await advance(half);
      await leased.extendLease();
    }
    await advance(half);
    expect(await isBusEmpty(engine, longLease)).toBe(true);
    await advance(half);
    expect(await leaseNext(engine, longLease)).toMatchObject({ id: message.id, deliveryCount: 2 });
  },

  'after any naks and expired leases, every message is acknowledged once': async ({ engine, advance }) => {
    await fc.assert(
      fc.asyncProperty(redeliveryCauses, async (ways) => {
        const left = new Map(
          ways
            .map((way) => ({ message: newMessage(), way: [...way], attempts: way.length + 1 }))
            .map((one) => [one.message.id, one]),
        );
        for (const { message } of left.values()) await engine.publish(message);
        while (left.size > 0) {
          if ((await engine.pending(twoSeconds)) !== left.size) throw new Error('a message is lost or came back');
          const leased = await leaseNext(engine, twoSeconds);
          const one = left.get(leased.id)!;
          const cause = one.way.shift();
          if (cause === 'nak') await leased.nak(0);
          if (cause === 'expired') await advance(twoSeconds.leaseMs + 1);
          if (cause) continue;
          expect(leased.deliveryCount).toBe(one.attempts);
          await leased.ack();
          left.delete(leased.id);
        }
        expect(await engine.pending(twoSeconds)).toBe(0);
      }),
      { numRuns: 5 },
    );
  },
};
