import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { DeadLetter } from '#libs/bus/jetstream.ts';
import { openTcpProxy } from '../support/nats/tcp-proxy.ts';
import { isNatsAvailable, type NatsServer, createNatsServer, startNatsServer } from '../support/nats/server.ts';
import { closeBuses, consumer, messageIds, openBus, publishAll, consumeAll } from '../support/nats/test-bus.ts';

const waitOptions = { timeout: 60_000, interval: 20 };
const never = new AbortController().signal;

const closing: (() => Promise<void>)[] = [];
const removedAfterTest = <T extends { remove(): Promise<void> }>(server: T): T => {
  closing.push(() => server.remove());
  return server;
};
afterEach(async () => {
  await closeBuses();
  for (const close of closing.splice(0)) await close();
});

const waitForMessages = (done: readonly string[], ids: readonly string[]) =>
  vi.waitFor(() => expect([...new Set(done)].toSorted()).toEqual([...ids].toSorted()), waitOptions);
const restart = async (server: NatsServer): Promise<void> => {
  await server.kill();
  await server.start();
};

describe.skipIf(!isNatsAvailable)('A bus on a NATS server', () => {
  it('keeps confirmed messages when the server is killed, and its consumers and leases continue', async () => {
    const server = removedAfterTest(await startNatsServer());
    const bus = openBus(server.url);
    await publishAll(bus, messageIds('before', 50));
    const held = (await bus.next(consumer, never))!;
    await restart(server);
    const worker = consumeAll(bus);
    await publishAll(bus, messageIds('after', 50));
    await held.ack();
    await vi.waitFor(async () => expect(await bus.pending(consumer)).toBe(0), waitOptions);
    expect(new Set([...worker.done, held.id])).toEqual(
      new Set([...messageIds('before', 50), ...messageIds('after', 50)]),
    );
    await worker.stop();
  });

  it('keeps a message that is published while the server is unavailable until the server confirms it', async () => {
    const server = removedAfterTest(await createNatsServer());
    const bus = openBus(server.url);
    const worker = consumeAll(bus);
    const published = publishAll(bus, messageIds('early', 20));
    await vi.waitFor(() => expect(bus.missing()).toMatch(/nothing listens.*BUS_URL/), waitOptions);
    await server.start();
    await published;
    await waitForMessages(worker.done, messageIds('early', 20));
    await vi.waitFor(() => expect(bus.missing()).toBeNull(), waitOptions);
    await worker.stop();
  });

  it('never stores a message whose publication was aborted while the server was unavailable', async () => {
    const server = removedAfterTest(await createNatsServer());
    const bus = openBus(server.url);
    const abandoned = new AbortController();
    const publishing = bus.publish({ id: 'abandoned', subject: consumer.subject, data: {} }, abandoned.signal);
    await vi.waitFor(() => expect(bus.missing()).toMatch(/nothing listens/), waitOptions);
    abandoned.abort(new Error('no caller waits'));
    await expect(publishing).rejects.toThrow('no caller waits');
    await server.start();
    await publishAll(bus, ['awaited']);
    expect(await bus.pending(consumer)).toBe(1);
  });

  it('creates its streams and consumers again after the storage was wiped', async () => {
    const server = removedAfterTest(await startNatsServer());
    const bus = openBus(server.url);
    const worker = consumeAll(bus);
    await publishAll(bus, messageIds('first', 20));
    await waitForMessages(worker.done, messageIds('first', 20));
    await server.kill();
    await server.wipe();
    await server.start();
    await publishAll(bus, messageIds('second', 20));
    await waitForMessages(worker.done, [...messageIds('first', 20), ...messageIds('second', 20)]);
    await vi.waitFor(async () => expect(await bus.pending(consumer)).toBe(0), waitOptions);
    await worker.stop();
  });

  it('creates a deleted stream again, and a deleted consumer together with its leased messages', async () => {
    const server = removedAfterTest(await startNatsServer());
    const bus = openBus(server.url, 'deleted');
    const operator = await connect({ servers: `127.0.0.1:${server.port}` });
    const { streams, consumers } = await jetstreamManager(operator);
    await publishAll(bus, ['x']);
    const lost = await bus.next(consumer, never);
    await consumers.delete('deleted-work-ordinary', consumer.name);
    expect(await bus.next(consumer, never)).toMatchObject({ id: 'x' });
    await lost!.ack();
    await streams.delete('deleted-work-ordinary');
    expect(await bus.pending(consumer)).toBe(0);
    await publishAll(bus, ['x']);
    expect(await bus.next(consumer, never)).toMatchObject({ id: 'x', deliveryCount: 1 });
    await operator.close();
  });

  it('notices that the server is frozen, and continues when it responds again', async () => {
    const server = removedAfterTest(await startNatsServer());
    const bus = openBus(server.url);
    const worker = consumeAll(bus);
    await publishAll(bus, messageIds('warm', 5));
    await waitForMessages(worker.done, messageIds('warm', 5));
    server.suspend();
    const published = publishAll(bus, messageIds('frozen', 20));
    await vi.waitFor(() => expect(bus.missing()).toMatch(/BUS_URL/), waitOptions);
    server.resume();
    await published;
    await waitForMessages(worker.done, [...messageIds('warm', 5), ...messageIds('frozen', 20)]);
    await vi.waitFor(() => expect(bus.missing()).toBeNull(), waitOptions);
    await worker.stop();
  });

  it('delivers a message to another process when its publisher lost the connection right after the confirmation', async () => {
    const server = removedAfterTest(await startNatsServer());
    const proxy = await openTcpProxy(server.port);
    closing.push(() => proxy.close());
    const [publisher, receiver] = [openBus(`nats://127.0.0.1:${proxy.port}`, 'lost'), openBus(server.url, 'lost')];
    const worker = consumeAll(receiver);
    await publishAll(publisher, ['before']);
    await waitForMessages(worker.done, ['before']);
    await publisher.publish({ id: 'lost', subject: consumer.subject, data: {} }).then(() => proxy.closeConnections());
    await waitForMessages(worker.done, ['before', 'lost']);
    await vi.waitFor(async () => expect(await receiver.pending(consumer)).toBe(0), waitOptions);
    await worker.stop();
  });

  it('loses no message when its connections are closed again and again', async () => {
    const server = removedAfterTest(await startNatsServer());
    const proxy = await openTcpProxy(server.port);
    closing.unshift(() => proxy.close());
    const [publisher, receiver] = [
      openBus(`nats://127.0.0.1:${proxy.port}`, 'cut'),
      openBus(`nats://127.0.0.1:${proxy.port}`, 'cut'),
    ];
    const worker = consumeAll(receiver);
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const more = messageIds(`round${round}`, 20);
      ids.push(...more);
      const published = publishAll(publisher, more);
      proxy.closeConnections();
      await published;
    }
    await waitForMessages(worker.done, ids);
    await vi.waitFor(async () => expect(await publisher.pending(consumer)).toBe(0), waitOptions);
    await worker.stop();
  });

  it('reports a message that was delivered too often as a dead letter, and removes it, so that it can be published again', async () => {
    const server = removedAfterTest(await startNatsServer());
    const letters: Partial<DeadLetter>[] = [];
    const bus = openBus(server.url, 'dead', {
      maxDeliveries: 2,
      onDeadLetter: (letter) => void letters.push(letter),
    });
    await publishAll(bus, ['poison']);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const message = (await bus.next(consumer, never))!;
      expect(message.deliveryCount).toBe(attempt);
      await message.nak(0);
    }
    const worker = consumeAll(bus);
    await vi.waitFor(
      () => expect(letters).toEqual([{ id: 'poison', stream: 'dead-work-ordinary', deliveryCount: 2 }]),
      waitOptions,
    );
    expect(worker.done).toEqual([]);
    await vi.waitFor(async () => expect(await bus.pending(consumer)).toBe(0), waitOptions);
    await worker.stop();
  });

  it('fails soon when pending messages cannot be counted, and names the setting', async () => {
    const server = removedAfterTest(await createNatsServer());
    const bus = openBus(server.url);
    await expect(bus.pending(consumer)).rejects.toThrow(/BUS_URL/);
  });

  it('delivers a message of a worker that is gone to another worker, even when that worker is busy with new messages', async () => {
    const server = removedAfterTest(await startNatsServer());
    const [former, remaining] = [openBus(server.url, 'gone'), openBus(server.url, 'gone')];
    const worker = consumeAll(remaining);
    await worker.stop();
    await publishAll(former, ['left']);
    expect((await former.next(consumer, never))!.id).toBe('left');
    await former.close();
    const laterWorker = consumeAll(remaining);
    await publishAll(remaining, messageIds('busy', 20));
    await waitForMessages(laterWorker.done, ['left', ...messageIds('busy', 20)]);
    await laterWorker.stop();
  });

  it('refuses a message that is larger than the server accepts, without a retry', async () => {
    const server = removedAfterTest(await startNatsServer());
    const bus = openBus(server.url);
    await expect(bus.publish({ id: 'large', subject: 'work', data: 'x'.repeat(2_000_000) })).rejects.toThrow();
  });
});
