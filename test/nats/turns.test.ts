import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isNatsThere, type NatsServer, startNats } from './server.ts';
import { closeBuses, consumer, idsOf, openBus, publishAll, workOn } from './work.ts';

const patience = { timeout: 25_000, interval: 20 };
const never = new AbortController().signal;

describe.skipIf(!isNatsThere)('Accounts that share a bus on a NATS server', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.remove());
  afterEach(closeBuses);

  it('have their turn at once, however much another has queued, whichever of several processes takes it', async () => {
    const [one, other] = [openBus(server.url, 'flood'), openBus(server.url, 'flood')];
    for (let round = 0; round < 4; round += 1) await publishAll(one, idsOf(`flood${round}`, 500), 'flooder');
    const order: string[] = [];
    const workers = [one, other].map((bus) => workOn(bus, (_, group) => order.push(group)));
    await vi.waitFor(() => expect(order.length).toBeGreaterThan(20), patience);
    await publishAll(one, ['single'], 'somebody');
    const before = order.length;
    await vi.waitFor(() => expect(order).toContain('somebody'), patience);
    expect(order.indexOf('somebody') - before).toBeLessThan(10);
    for (const { stop } of workers) await stop();
  });

  it('are seen by a process that starts when all is queued already', async () => {
    const one = openBus(server.url, 'late');
    await publishAll(one, idsOf('flood', 300), 'flooder');
    for (let number = 0; number < 50; number += 1) await publishAll(one, [`small${number}`], `account ${number}`);
    const late = openBus(server.url, 'late');
    const groups = new Set<string>();
    for (let taken = 0; taken < 110; taken += 1) {
      const delivery = (await late.next(consumer, never))!;
      groups.add(delivery.group);
      await delivery.ack();
    }
    expect(groups.size).toBe(51);
  });

  it('may have any name', async () => {
    const bus = openBus(server.url);
    const names = ['', '*', '>', 'a.b', 'a b', 'Å', '_', 'é'.repeat(300), '../..', 'a', 'A', '$JS.API.>'];
    for (const [index, name] of names.entries()) await bus.publish({ id: `id ${index}.*>`, subject: 'any.work', data: name, group: name });
    const taken = await Promise.all(names.map(() => bus.next({ ...consumer, subject: 'any.work' }, never)));
    expect(taken.map((delivery) => delivery!.group).toSorted()).toEqual(names.toSorted());
    expect(taken.every((delivery) => delivery!.data === delivery!.group)).toBe(true);
  });

  it('share several processes, none of which is left without work', async () => {
    const buses = [openBus(server.url, 'share'), openBus(server.url, 'share')];
    await publishAll(buses[0]!, idsOf('work', 400), 'a');
    const workers = buses.map((bus) => workOn(bus));
    await vi.waitFor(() => expect(workers.flatMap(({ done }) => done)).toHaveLength(400), patience);
    for (const { done } of workers) expect(done.length).toBeGreaterThan(100);
    for (const { stop } of workers) await stop();
  });

  it('leave one message under one id for as long as it waits, which may be longer than the server remembers ids', async () => {
    const bus = openBus(server.url, 'once', { deduplicationMs: 200 });
    await publishAll(bus, ['waiting'], 'a');
    await publishAll(bus, ['done'], 'b');
    await (await bus.nextBeside(consumer, new Set(['a'])))!.ack();
    // The id that was used later is a new one again: so is the one that was used before.
    await vi.waitFor(async () => {
      await publishAll(bus, ['done'], 'b');
      expect(await bus.pending(consumer)).toBe(2);
    }, patience);
    await publishAll(bus, ['waiting'], 'a');
    expect(await bus.pending(consumer)).toBe(2);
  });

  it('have a longer lease when a new version asks for one', async () => {
    const [earlier, later] = [openBus(server.url, 'longer'), openBus(server.url, 'longer')];
    await publishAll(earlier, ['before', 'after'], 'a');
    await (await earlier.next({ ...consumer, leaseMs: 100 }, never))!.ack();
    const patient = { ...consumer, leaseMs: 60_000 };
    let held = (await later.next(patient, never))!;
    // On a busy machine the short lease may have run out before the word was said.
    while (held.id === 'before') {
      await held.ack();
      held = (await later.next(patient, never))!;
    }
    expect(held.id).toBe('after');
    await publishAll(later, ['more'], 'b');
    const order: string[] = [];
    const worker = workOn(earlier, (id) => order.push(id));
    for (let round = 0; round < 10; round += 1) {
      await publishAll(later, [`marker${round}`], 'b');
      await vi.waitFor(() => expect(order).toContain(`marker${round}`), patience);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(order).not.toContain('after');
    await worker.stop();
  });
});
