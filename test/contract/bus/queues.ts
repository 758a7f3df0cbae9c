import { expect } from 'vitest';
import type { OpenedBus } from './opened.ts';
import type { Cases } from '../harness.ts';
import { isEmpty, messageOf, next, worker } from './messages.ts';

const urgentWorker = { ...worker, urgent: true };

export const queues: Cases<OpenedBus> = {
  'urgent messages of a subject have a queue of their own': async ({ engine }) => {
    await engine.publish(messageOf('ordinary'));
    await engine.publish({ ...messageOf('urgent'), urgent: true });
    expect(await engine.pending(worker)).toBe(1);
    expect(await engine.pending(urgentWorker)).toBe(1);
    const delivery = await next(engine, urgentWorker);
    expect(delivery.data).toBe('urgent');
    await delivery.ack();
    expect(await engine.pending(urgentWorker)).toBe(0);
    expect((await next(engine)).data).toBe('ordinary');
  },

  'a message that nobody waits for any more stays for the next': async ({ engine }) => {
    const leaving = new AbortController();
    const waiting = engine.next(worker, leaving.signal);
    leaving.abort();
    const message = messageOf();
    await engine.publish(message);
    expect(await waiting).toBeNull();
    const delivery = await next(engine);
    expect(delivery.id).toBe(message.id);
    await delivery.ack();
    expect(await isEmpty(engine)).toBe(true);
  },
};
