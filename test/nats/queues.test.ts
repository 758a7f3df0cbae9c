import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isNatsAvailable, type NatsServer, startNatsServer } from '../support/nats/server.ts';
import { closeBuses, consumer, messageIds, openBus, publishAll, consumeAll } from '../support/nats/test-bus.ts';

const waitOptions = { timeout: 60_000, interval: 20 };
const never = new AbortController().signal;

describe.skipIf(!isNatsAvailable)('Messages on a NATS server', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server.remove());
  afterEach(closeBuses);

  it('may have any id', async () => {
    const bus = openBus(server.url);
    const ids = ['', '*', '>', 'a.b', 'a b', 'Å', '_', 'é'.repeat(300), '../..', 'a', 'A', '$JS.API.>'];
    for (const id of ids) await bus.publish({ id, subject: 'any.work', data: id });
    const taken = await Promise.all(ids.map(() => bus.next({ ...consumer, subject: 'any.work' }, never)));
    expect(taken.map((message) => message!.id).toSorted()).toEqual(ids.toSorted());
    expect(taken.every((message) => message!.data === message!.id)).toBe(true);
  });

  it('have an id that is unique as long as the message waits, which may be longer than the de-duplication window', async () => {
    const bus = openBus(server.url, 'once', { deduplicationWindowMs: 200 });
    await publishAll(bus, ['done']);
    await (await bus.next(consumer, never))!.ack();
    await publishAll(bus, ['waiting']);
    // The id of the later message is accepted again, so the window of the earlier one is over too.
    await vi.waitFor(async () => {
      await publishAll(bus, ['done']);
      expect(await bus.pending(consumer)).toBe(2);
    }, waitOptions);
    await publishAll(bus, ['waiting']);
    expect(await bus.pending(consumer)).toBe(2);
  });

  it('are shared between several processes, and each gets some', async () => {
    const buses = [openBus(server.url, 'share'), openBus(server.url, 'share')];
    const workers = buses.map((bus) => consumeAll(bus));
    const ids: string[] = [];
    for (let round = 0; workers.some(({ done }) => done.length === 0); round += 1) {
      const more = messageIds(`round${round}`, 20);
      ids.push(...more);
      await publishAll(buses[0]!, more);
    }
    // A worker that was stopped for a while may have lost its lease, so that both got the message.
    const got = () => [...new Set(workers.flatMap(({ done }) => done))].toSorted();
    await vi.waitFor(() => expect(got()).toEqual(ids.toSorted()), waitOptions);
    for (const { stop } of workers) await stop();
  });

  it('get a longer lease when a new version of the service asks for one', async () => {
    const [earlier, later] = [openBus(server.url, 'longer'), openBus(server.url, 'longer')];
    await publishAll(earlier, ['before', 'after']);
    await (await earlier.next({ ...consumer, leaseMs: 100 }, never))!.ack();
    const longerLease = { ...consumer, leaseMs: 60_000 };
    let held = (await later.next(longerLease, never))!;
    // On a busy machine the short lease may have expired before the ack.
    while (held.id === 'before') {
      await held.ack();
      held = (await later.next(longerLease, never))!;
    }
    expect(held.id).toBe('after');
    await publishAll(later, ['more']);
    const order: string[] = [];
    const worker = consumeAll(earlier, (id) => order.push(id));
    // A message with the short lease comes again and again, so the short lease of the held one would have ended.
    const shortLease = { ...consumer, name: 'short', subject: 'short', leaseMs: 100 };
    await later.publish({ id: 'again', subject: 'short', data: {} });
    for (let delivery = 0; delivery < 3; delivery += 1) await later.next(shortLease, never);
    await publishAll(later, ['marker']);
    await vi.waitFor(() => expect(order).toContain('marker'), waitOptions);
    expect(order).not.toContain('after');
    await worker.stop();
  });
});
