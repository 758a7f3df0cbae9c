import { expect } from 'vitest';
import type { BusUnderTest } from '../../support/contract/bus-under-test.ts';
import type { ContractCases } from '../../support/contract/describe-contract.ts';
import { isBusEmpty, newMessage, leaseNext, testConsumer } from '../../support/contract/bus-messages.ts';

const urgentWorker = { ...testConsumer, urgent: true };

export const queueCases: ContractCases<BusUnderTest> = {
  'urgent messages of a subject have a queue of their own': async ({ engine }) => {
    await engine.publish(newMessage('ordinary'));
    await engine.publish({ ...newMessage('urgent'), urgent: true });
    expect(await engine.pending(testConsumer)).toBe(1);
    expect(await engine.pending(urgentWorker)).toBe(1);
    const delivery = await leaseNext(engine, urgentWorker);
    expect(delivery.data).toBe('urgent');
    await delivery.ack();
    expect(await engine.pending(urgentWorker)).toBe(0);
    expect((await leaseNext(engine)).data).toBe('ordinary');
  },

  'a message that nobody waits for any more stays for the next': async ({ engine }) => {
    const leaving = new AbortController();
    const waiting = engine.next(testConsumer, leaving.signal);
    leaving.abort();
    const message = newMessage();
    await engine.publish(message);
    expect(await waiting).toBeNull();
    const delivery = await leaseNext(engine);
    expect(delivery.id).toBe(message.id);
    await delivery.ack();
    expect(await isBusEmpty(engine)).toBe(true);
  },
};
