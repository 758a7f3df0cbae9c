import { expect } from 'vitest';
import type { BusUnderTest } from '../../support/contract/bus-under-test.ts';
import type { ContractCases } from '../../support/contract/describe-contract.ts';
import { isBusEmpty, newMessage, leaseNext, testConsumer } from '../../support/contract/bus-messages.ts';

/** So long that it does not end while a busy machine does a few things. */
const longLease = { ...testConsumer, leaseMs: 10_000 };
const urgentWorker = { ...longLease, urgent: true };

export const queueCases: ContractCases<BusUnderTest> = {
  'urgent messages of a subject have their own queue': async ({ engine }) => {
    await engine.publish(newMessage('ordinary'));
    await engine.publish({ ...newMessage('urgent'), urgent: true });
    expect(await engine.pending(testConsumer)).toBe(1);
    expect(await engine.pending(urgentWorker)).toBe(1);
    const leased = await leaseNext(engine, urgentWorker);
    expect(leased.data).toBe('urgent');
    await leased.ack();
    expect(await engine.pending(urgentWorker)).toBe(0);
    expect((await leaseNext(engine)).data).toBe('ordinary');
  },

  'a message remains for the next consumer if the waiting one has stopped': async ({ engine }) => {
    const leaving = new AbortController();
    const waiting = engine.next(testConsumer, leaving.signal);
    leaving.abort();
    const message = newMessage();
    await engine.publish(message);
    expect(await waiting).toBeNull();
    const leased = await leaseNext(engine, longLease);
    expect(leased.id).toBe(message.id);
    await leased.ack();
    expect(await isBusEmpty(engine)).toBe(true);
  },
};
