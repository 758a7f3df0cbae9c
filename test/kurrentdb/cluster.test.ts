import { describe, expect, it } from 'vitest';
import { openKurrentDbEventStore } from '#libs/event-store/kurrentdb.ts';
import { noStream } from '#libs/event-store/port.ts';
import { readSubscription, newEvents, eventIds, isInOrder } from '../support/contract/new-events.ts';
import { openEventStoreOn, quickOptions, urlOf } from '../support/kurrentdb/event-stores.ts';
import { eventually, useTestServers } from '../support/kurrentdb/test-servers.ts';
import { startKurrentDbStandIn } from '../support/kurrentdb/server.ts';

const { start, closeAfterTest, startTwo } = useTestServers();

describe('A cluster of KurrentDB', () => {
  it.each([
    ['discovered by gossip', (a: number, _b: number) => `kurrentdb+discover://127.0.0.1:${a}?tls=false`],
    [
      'with all members in the address',
      (a: number, b: number) => `kurrentdb://127.0.0.1:${a},127.0.0.1:${b}?tls=false`,
    ],
    ['with one member in the address', (a: number, _b: number) => urlOf(a)],
  ])('%s accepts appends and subscriptions under a new leader', async (_how, url) => {
    const { a, b, lead } = await startTwo();
    const engine = closeAfterTest(openKurrentDbEventStore(url(a.endpoint.port, b.endpoint.port), quickOptions));
    const live = readSubscription(engine, 0, 40);
    for (let number = 0; number < 40; number += 1) {
      if (number === 10) lead(b);
      if (number === 11) a.dropConnections();
      if (number === 30) lead(a);
      await engine.append('render-1', newEvents(1), number - 1);
    }
    expect(await live).toEqual(await engine.read('render-1'));
  });

  it('works on with the remaining member', async () => {
    const { a, b, lead } = await startTwo();
    const engine = closeAfterTest(
      openKurrentDbEventStore(
        `kurrentdb://127.0.0.1:${a.endpoint.port},127.0.0.1:${b.endpoint.port}?tls=false`,
        quickOptions,
      ),
    );
    const live = readSubscription(engine, 0, 2);
    await engine.append('render-1', newEvents(1), noStream);
    lead(b);
    await a.stop();
    await engine.append('render-1', newEvents(1), 0);
    expect(await live).toHaveLength(2);
  });
});

describe('A cluster of KurrentDB that', () => {
  it('has a leader that does not respond works on with the next leader', async () => {
    const [a, b] = [await start(), await start()];
    const members = [a.endpoint, b.endpoint];
    for (const member of [a, b]) member.setCluster({ members, leader: a.endpoint });
    const engine = closeAfterTest(
      openKurrentDbEventStore(`kurrentdb://127.0.0.1:${a.endpoint.port},127.0.0.1:${b.endpoint.port}?tls=false`, {
        ...quickOptions,
        attemptTimeoutMs: 500,
      }),
    );
    const live = readSubscription(engine, 0, 3);
    await engine.append('render-1', newEvents(1), noStream);
    await eventually(() => a.counters.eventsSent).toBe(1);
    for (const event of a.eventLog.eventsOfStream('render-1')) b.eventLog.append('render-1', [event], 'any');
    a.loseAppendResponses(1_000, 'silently');
    b.setCluster({ members, leader: b.endpoint });
    await engine.append('render-1', newEvents(2), 0);
    expect(eventIds(await live)).toEqual(b.eventLog.eventsOfStream('render-1').map(({ id }) => id));
  });

  it('has a new leader continues a subscription without other operations', async () => {
    const { a, b, lead } = await startTwo();
    const engine = closeAfterTest(openEventStoreOn(a.endpoint.port, { checkIntervalMs: 60_000 }));
    const writer = closeAfterTest(openEventStoreOn(b.endpoint.port));
    const live = readSubscription(engine, 0, 2);
    await writer.append('render-1', newEvents(1), noStream);
    await eventually(() => a.counters.eventsSent).toBe(1);
    lead(b);
    a.dropConnections();
    await writer.append('render-1', newEvents(1), 0);
    expect(await live).toHaveLength(2);
  });

  it('stops and starts again is found again, and does not end the process', async () => {
    const { a, b } = await startTwo();
    const members = [a.endpoint, b.endpoint];
    const engine = closeAfterTest(
      openKurrentDbEventStore(
        `kurrentdb://127.0.0.1:${a.endpoint.port},127.0.0.1:${b.endpoint.port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=20`,
        quickOptions,
      ),
    );
    const live = [readSubscription(engine, 0, 31), readSubscription(engine, 0, 31)];
    await engine.append('render-1', newEvents(1), noStream);
    await Promise.all([a.stop(), b.stop()]);
    const appends = Array.from({ length: 30 }, (_, number) =>
      engine.append(`render-1-${number}`, newEvents(1), noStream),
    );
    await eventually(() => engine.missing()).toContain('No member of a KurrentDB cluster responds');
    for (const { port } of members)
      (await start({ eventLog: a.eventLog, port })).setCluster({ members, leader: a.endpoint });
    await Promise.all(appends);
    for (const got of await Promise.all(live)) expect(isInOrder(got)).toBe(true);
  });

  it('stops member by member during a leader search does not end the process', async () => {
    const { a, b, lead } = await startTwo();
    const engine = closeAfterTest(
      openKurrentDbEventStore(
        `kurrentdb://127.0.0.1:${a.endpoint.port},127.0.0.1:${b.endpoint.port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=20`,
        quickOptions,
      ),
    );
    const live = readSubscription(engine, 0, 2);
    await engine.append('render-1', newEvents(1), noStream);
    await eventually(() => a.counters.eventsSent).toBe(1);
    lead(b);
    await eventually(() => b.counters.reads).toBeGreaterThan(0);
    const gossip = a.holdGossip();
    await b.stop();
    await eventually(gossip.waiting).toBeGreaterThan(0);
    await a.stop();
    await eventually(() => engine.missing()).toContain('No member of a KurrentDB cluster responds');
    for (const { port } of [a.endpoint, b.endpoint])
      (await start({ eventLog: a.eventLog, port })).setCluster({
        members: [a.endpoint, b.endpoint],
        leader: a.endpoint,
      });
    await engine.append('render-1', newEvents(1), 0);
    expect(await live).toHaveLength(2);
  });

  it('starts after the service is found', async () => {
    const { endpoint, stop } = await startKurrentDbStandIn();
    await stop();
    const engine = closeAfterTest(
      openKurrentDbEventStore(
        `kurrentdb+discover://127.0.0.1:${endpoint.port}?tls=false&maxDiscoverAttempts=1&discoveryInterval=10`,
        quickOptions,
      ),
    );
    await eventually(() => engine.missing()).toContain('No member of a KurrentDB cluster responds');
    await start({ port: endpoint.port });
    await eventually(() => engine.missing()).toBeNull();
    await expect(engine.append('render-1', newEvents(1), noStream)).resolves.toMatchObject({ revision: 0 });
  });
});
